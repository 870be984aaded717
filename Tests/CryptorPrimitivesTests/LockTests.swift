import Foundation
import Synchronization
import Testing

@testable import CryptorSystem

/// One thread at a time holds the lock, and the lock is free again however that thread's work ends.
@Suite(.unlessItHangs) struct LockTests {
    private struct Refusal: Error, Equatable {}

    @Test func oneAtATime() {
        let lock = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 {
                lock.withLock { number in
                    let before = number
                    sched_yield()
                    number = before + 1
                }
            }
        }
        #expect(lock.withLock { $0 } == 8000)
    }

    @Test func anErrorLeavesItOpen() {
        let lock = Lock(1)
        #expect(throws: Refusal()) { try lock.withLock { (_) throws(Refusal) in throw Refusal() } }
        #expect(lock.withLock { $0 } == 1)
    }
}
