import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorSystem

/// Workers have as many threads as there is work for at a time, up to their limit.
@Suite(.unlessItHangs) struct WorkersTests {
    /// Starts threads and counts them.
    private func counting(in started: Tally) -> @Sendable (@escaping Workers.Job) -> Bool {
        { body in
            started.add()
            return WorkerThread.start(body)
        }
    }

    /// Jobs that all have to be under way before any of them ends.
    @Test(arguments: [1, 2, 5])
    func asManyAsAreAllowed(limit: Int) async {
        let started = Tally()
        let workers = Workers(threadLimit: limit, startThread: counting(in: started))
        defer { workers.close() }
        for _ in 0..<20 {
            let (present, all, done) = (Tally(), DispatchSemaphore(value: 0), Tally())
            for _ in 0..<limit {
                workers.add {
                    if present.add() == limit { for _ in 0..<limit { all.signal() } }
                    all.wait()
                    done.add()
                }
            }
            await until { done.count == limit }
        }
        #expect(started.count == limit)
        // After a single job, there is room for all of them.
        let (others, single, present) = (Workers(threadLimit: limit), Tally(), Tally())
        defer { others.close() }
        others.add { single.add() }
        await until { single.count == 1 }
        try? await Task.sleep(for: .milliseconds(20))
        let all = DispatchSemaphore(value: 0)
        for _ in 0..<limit {
            others.add {
                present.add()
                all.wait()
            }
        }
        await until { present.count == limit }
        for _ in 0..<limit { all.signal() }
    }

    /// A job for which there is no thread is done at once.
    @Test func withoutThreads() async {
        let (workers, done) = (Workers(threadLimit: 2, startThread: { _ in false }), Tally())
        for count in 1...3 {
            workers.add { done.add() }
            #expect(done.count == count)
        }
        // Nor is it done again once there is one.
        let (later, number) = (Tally(), Tally())
        let others = Workers(
            threadLimit: 1, startThread: { body in number.add() > 1 && WorkerThread.start(body) })
        defer { others.close() }
        for count in 1...3 {
            others.add { later.add() }
            await until { later.count >= count }
        }
        #expect(later.count == 3)
    }

    /// A job is released when it has been done, not when the next one comes. After the last job the
    /// threads end, and release what they hold.
    @Test func theyEnd() async {
        final class Held: Sendable {}
        weak var left: Workers?
        weak var held: Held?
        let done = Tally()
        do {
            let workers = Workers(threadLimit: 3)
            left = workers
            for _ in 0..<10 {
                let own = Held()
                held = own
                workers.add { [own] in withExtendedLifetime(own) { _ = done.add() } }
            }
            await until { done.count == 10 }
            await until { held == nil }
            workers.close()
        }
        await until { left == nil }
    }

    /// The threads take no signals, which are for the program's own threads, but for their own
    /// faults.
    @Test func signalsAreBlocked() async {
        let workers = Workers(threadLimit: 1)
        defer { workers.close() }
        let isBlocked = Notes<Bool>()
        @Sendable func note() {
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            isBlocked.add(
                [SIGTERM: 1, SIGINT: 1, SIGSEGV: 0, SIGTRAP: 0].allSatisfy {
                    sigismember(&mask, $0) == $1
                })
        }
        // Threads of tests may have them blocked, and new threads inherit that.
        func start() {
            var (none, before) = (sigset_t(), sigset_t())
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            workers.add(note)
            note()
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        start()
        await until { isBlocked.all.count == 2 }
        #expect(isBlocked.all.sorted { !$0 && $1 } == [false, true])
    }
}
