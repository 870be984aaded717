import Foundation
import Synchronization
import Testing

@testable import CryptorPrimitives

/// One thread at a time, and out again however it ends.
@Suite struct LockTests {
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

    @Test func isAvailableToOne() {
        let lock = Lock([1])
        lock.withLock { _ in
            let seen = Atomic<Int>(0)
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                seen.add(lock.withLockIfAvailable { $0.count } ?? 0, ordering: .relaxed)
            }
            #expect(seen.load(ordering: .relaxed) == 0, "it is taken")
        }
        #expect(
            lock.withLockIfAvailable {
                $0.append(2); return $0.count
            } == 2)
    }

    @Test func anErrorLeavesItOpen() {
        let lock = Lock(1)
        #expect(throws: Refusal()) { try lock.withLock { (_) throws(Refusal) in throw Refusal() } }
        #expect(throws: Refusal()) { try lock.withLockIfAvailable { (_) throws(Refusal) in throw Refusal() } }
        #expect(lock.withLockIfAvailable { $0 } == 1)
    }
}
