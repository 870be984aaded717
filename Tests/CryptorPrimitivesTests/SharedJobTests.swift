import Foundation
import Synchronization
import Testing

@testable import CryptorPrimitives

/// What is done beside something else, by whichever thread: it is done when the call returns, and what failed is thrown.
@Suite struct SharedJobTests {
    private static func failure(_ name: String) -> OpenSSLError { OpenSSLError(function: name, reasons: ["none"]) }

    /// Whoever is slower: the caller then finds the work begun, or does it.
    @Test(arguments: [0, 200] as [UInt32], [0, 200] as [UInt32])
    func bothAreDone(workMicroseconds: UInt32, callerMicroseconds: UInt32) throws {
        for _ in 0..<50 {
            let work = Atomic(0)
            let caller = Atomic(0)
            try SharedJob.run { () throws(OpenSSLError) in
                usleep(workMicroseconds)
                work.add(1, ordering: .relaxed)
            } beside: { () throws(OpenSSLError) in
                usleep(callerMicroseconds)
                caller.add(1, ordering: .relaxed)
            }
            #expect(work.load(ordering: .relaxed) == 1)
            #expect(caller.load(ordering: .relaxed) == 1)
        }
    }

    /// The other thread has begun when the caller fails, or not: it does not end before that thread.
    @Test func theOtherThreadsFailureIsThrown() {
        for callerFails in [false, true] {
            let hasBegun = DispatchSemaphore(value: 0)
            let error = #expect(throws: OpenSSLError.self) {
                try SharedJob.run { () throws(OpenSSLError) in
                    hasBegun.signal()
                    usleep(2000)
                    throw Self.failure("work")
                } beside: { () throws(OpenSSLError) in
                    hasBegun.wait()
                    if callerFails { throw Self.failure("caller") }
                }
            }
            #expect(error == Self.failure("work"), "the caller fails: \(callerFails)")
        }
    }

    @Test(arguments: [0, 2000] as [UInt32])
    func failuresAreThrown(callerMicroseconds: UInt32) {
        for (workFails, callerFails) in [(true, false), (false, true), (true, true)] {
            let error = #expect(throws: OpenSSLError.self) {
                try SharedJob.run { () throws(OpenSSLError) in
                    if workFails { throw Self.failure("work") }
                } beside: { () throws(OpenSSLError) in
                    usleep(callerMicroseconds)
                    if callerFails { throw Self.failure("caller") }
                }
            }
            #expect(error == Self.failure(workFails ? "work" : "caller"), "\(workFails), \(callerFails)")
        }
    }
}
