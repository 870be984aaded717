import CryptorTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// Workers have as many threads as there is work for at a time, up to their limit.
@Suite(.unlessItHangs) struct WorkersTests {
    private final class Count: Sendable {
        private let number = Atomic(0)
        var value: Int { number.load(ordering: .sequentiallyConsistent) }
        func add(_ other: Int = 1) -> Int { number.add(other, ordering: .sequentiallyConsistent).newValue }
    }

    /// Starts threads, and counts them, as long as the system has any.
    private func workers(_ limit: Int, counting count: Count, available: Int = .max) -> Workers {
        Workers(
            threadLimit: limit,
            startThread: { body in
                guard count.value < available else { return false }
                _ = count.add()
                return WorkerThread.start(body)
            })
    }

    /// Jobs that all have to be under way before any of them ends.
    @Test(arguments: [1, 2, 5])
    func asManyAsAreAllowed(limit: Int) {
        let started = Count()
        let workers = workers(limit, counting: started)
        defer { workers.close() }
        for round in 0..<20 {
            let (present, all, done) = (Count(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            for _ in 0..<limit {
                workers.add {
                    if present.add() == limit { for _ in 0..<limit { all.signal() } }
                    if all.wait(timeout: .now() + 120) == .success { done.signal() }
                }
            }
            for _ in 0..<limit where done.wait(timeout: .now() + 120) == .timedOut {
                Issue.record("round \(round): fewer than \(limit) threads")
                return
            }
        }
        #expect(started.value == limit)
    }

    /// The rest waits, and is done in the order in which it came.
    @Test func noMoreThanThat() {
        let (started, order, done) = (Count(), Order(), DispatchSemaphore(value: 0))
        let workers = workers(1, counting: started)
        for number in 0..<1000 {
            workers.add {
                order.numbers.withLock { $0.append(number) }
                if number == 999 { done.signal() }
            }
        }
        done.wait()
        workers.close()
        #expect(started.value == 1 && order.numbers.withLock { $0 } == Array(0..<1000))
    }

    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    /// Where the system has no thread, the caller does the work; where it has fewer than are wanted, these do all of it.
    @Test(arguments: [0, 1, 2], [1, 4])
    func fewerThreads(available: Int, limit: Int) {
        let started = Count()
        let workers = workers(limit, counting: started, available: available)
        let caller = ThreadNumber.current
        let (isCaller, done) = (Count(), DispatchSemaphore(value: 0))
        for _ in 0..<100 {
            workers.add {
                if ThreadNumber.current == caller { _ = isCaller.add() }
                done.signal()
            }
        }
        for _ in 0..<100 { #expect(done.wait(timeout: .now() + 120) == .success) }
        #expect(isCaller.value == (available == 0 ? 100 : 0))
        #expect(started.value <= min(available, limit))
        workers.close()
    }

    /// After the last job the threads do what they are told to at their end, and release what they hold.
    @Test func theyEnd() {
        weak var left: Workers?
        let done = DispatchSemaphore(value: 0)
        let (started, ended) = (Count(), Count())
        do {
            let workers = Workers(
                threadLimit: 3, threadEnds: { _ = ended.add() },
                startThread: { body in
                    _ = started.add()
                    return WorkerThread.start(body)
                })
            left = workers
            for _ in 0..<10 { workers.add { done.signal() } }
            workers.close()
        }
        for _ in 0..<10 { done.wait() }
        for _ in 0..<20_000 where left != nil { usleep(1000) }
        #expect(left == nil)
        #expect(ended.value == started.value)
    }

    /// A job is released when it has been done, not when the next one comes.
    @Test func nothingIsKept() {
        final class Held: Sendable {}
        let workers = Workers(threadLimit: 1)
        defer { workers.close() }
        let done = DispatchSemaphore(value: 0)
        weak var held: Held?
        do {
            let own = Held()
            held = own
            workers.add { [own] in
                withExtendedLifetime(own) {}
                done.signal()
            }
        }
        done.wait()
        for _ in 0..<20_000 where held != nil { usleep(1000) }
        #expect(held == nil)
    }

    /// The threads take no signals, which are for the program's own threads.
    @Test func signalsAreBlocked() {
        let workers = Workers(threadLimit: 1)
        defer { workers.close() }
        let (isBlocked, done) = (Count(), DispatchSemaphore(value: 0))
        workers.add {
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            if [SIGTERM, SIGINT, SIGUSR1].allSatisfy({ sigismember(&mask, $0) == 1 }) { _ = isBlocked.add() }
            done.signal()
        }
        done.wait()
        #expect(isBlocked.value == 1)
    }

    @Test func noThreadsAtAll() async {
        await #expect(processExitsWith: .failure) { _ = Workers(threadLimit: 0) }
        await #expect(processExitsWith: .success) { _ = Workers(threadLimit: 1) }
    }
}
