import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct AlgorithmTests {
    /// Fetches stand-ins, each at its own address, and counts them.
    private final class Source: Sendable {
        let fetched = Atomic(0)
        let freed = Atomic(0)

        func fetch() -> OpaquePointer? {
            OpaquePointer(bitPattern: 0x1000 + fetched.add(1, ordering: .relaxed).newValue)
        }
        func free(_ pointer: OpaquePointer) { freed.add(1, ordering: .relaxed) }
    }

    @Test func cipherAndDigestAreFetchedOnce() async throws {
        #expect(try await distinctPointers { try Algorithm.aes256CBC.pointer() } == 1)
        #expect(try await distinctPointers { try Algorithm.sha1.pointer() } == 1)
    }

    @Test func allCallersGetOneAndTheOthersAreFreed() async throws {
        let source = Source()
        let algorithm = SharedAlgorithm(Algorithm("test", fetch: source.fetch, free: source.free))
        #expect(try await distinctPointers { try algorithm.value.pointer() } == 1)
        let (fetched, freed) = (source.fetched.load(ordering: .relaxed), source.freed.load(ordering: .relaxed))
        #expect(fetched - freed == 1, "\(fetched) fetched, \(freed) freed")
    }

    @Test func whoIsOvertakenFreesAndTakesTheOther() throws {
        let source = Source()
        let overtaker = Overtaker()
        let algorithm = SharedAlgorithm(
            Algorithm(
                "test",
                fetch: {
                    // While this fetch is under way, another call comes and goes.
                    if source.fetched.load(ordering: .relaxed) == 0 {
                        _ = source.fetch()
                        overtaker.call()
                    }
                    return source.fetch()
                }, free: source.free))
        overtaker.whom.withLock { $0 = algorithm }
        defer { overtaker.whom.withLock { $0 = nil } }
        let pointer = try algorithm.value.pointer()
        #expect(pointer == OpaquePointer(bitPattern: 0x1002), "the overtaker's")
        #expect(try algorithm.value.pointer() == pointer)
        #expect(source.freed.load(ordering: .relaxed) == 1)
    }

    /// Asks for the pointer in the middle of a fetch.
    private final class Overtaker: Sendable {
        let whom = Mutex<SharedAlgorithm?>(nil)
        func call() { _ = try? whom.withLock { $0 }?.value.pointer() }
    }

    @Test func aFailedFetchThrowsAndIsTriedAgain() throws {
        let calls = SharedCounter()
        let algorithm = Algorithm("EVP_CIPHER_fetch(test)") {
            calls.value.add(1, ordering: .relaxed).newValue == 1 ? nil : OpaquePointer(bitPattern: 0x1000)
        } free: { _ in
        }
        let error = #expect(throws: OpenSSLError.self) { try algorithm.pointer() }
        #expect(error?.function == "EVP_CIPHER_fetch(test)")
        #expect(try algorithm.pointer() == OpaquePointer(bitPattern: 0x1000))
        #expect(try algorithm.pointer() == OpaquePointer(bitPattern: 0x1000))
        #expect(calls.value.load(ordering: .relaxed) == 2)
    }

    private final class SharedCounter: Sendable { let value = Atomic(0) }

    private final class SharedAlgorithm: Sendable {
        let value: Algorithm
        init(_ value: consuming Algorithm) { self.value = value }
    }

    /// Returns how many different pointers 64 tasks get if each asks 50 times.
    private func distinctPointers(_ pointer: @escaping @Sendable () throws -> OpaquePointer) async throws -> Int {
        try await withThrowingTaskGroup(of: Set<UInt>.self) { group in
            for _ in 0..<64 {
                group.addTask { Set(try (0..<50).map { _ in UInt(bitPattern: try pointer()) }) }
            }
            return try await group.reduce(into: Set<UInt>()) { $0.formUnion($1) }.count
        }
    }
}
