import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives

/// A cipher or digest is fetched once a process. Fetching takes as long as a short message.
@Suite struct AlgorithmTests {
    private final class Shared: Sendable {
        let value: Algorithm
        init(_ value: consuming Algorithm) { self.value = value }
    }

    /// Of several threads that ask for the first time at once, all get one object, and the others are freed.
    @Test func oneForAllThreads() {
        let (fetched, freed, found) = (Tally(), Tally(), Notes<UInt>())
        let algorithm = Shared(
            Algorithm(
                "test",
                fetch: {
                    let number = fetched.add()
                    usleep(20_000)
                    return OpaquePointer(bitPattern: 0x1000 + number)
                }, free: { _ in freed.add() }))
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<50 { found.add(UInt(bitPattern: try? algorithm.value.pointer())) }
        }
        #expect(found.all.count == 400 && Set(found.all).count == 1 && found.all[0] != 0)
        #expect(fetched.count - freed.count == 1, "\(fetched.count) fetched, \(freed.count) freed")
    }

    @Test func aFailedFetchThrowsAndIsTriedAgain() throws {
        let calls = Tally()
        let algorithm = Algorithm("EVP_CIPHER_fetch(test)") {
            calls.add() == 1 ? nil : OpaquePointer(bitPattern: 0x1000)
        } free: { _ in
        }
        let error = #expect(throws: OpenSSLError.self) { try algorithm.pointer() }
        #expect(error?.function == "EVP_CIPHER_fetch(test)")
        for _ in 0..<2 { #expect(try algorithm.pointer() == OpaquePointer(bitPattern: 0x1000)) }
        #expect(calls.count == 2)
    }
}
