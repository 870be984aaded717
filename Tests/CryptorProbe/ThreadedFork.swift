import CCryptorProbe
import CryptorFormat
import CryptorPrimitives
import Foundation
import Synchronization

/// Forks while other threads are in the middle of work. The child has none of these threads, and does all kinds of work
/// itself.
enum ThreadedFork {
    static func run(rounds: Int) throws {
        let operations = try Operations()
        // What a process looks up once has been looked up, as in a server that has answered requests. And each thread
        // has drawn its first random bytes: while it does that, it holds a lock of OpenSSL that nobody could release in
        // a child.
        try operations.perform(number: 0)
        let isWarm = DispatchSemaphore(value: 0)
        for number in 1...3 {
            Thread.detachNewThread {
                try? operations.perform(number: number)
                isWarm.signal()
                while true { try? operations.perform(number: number) }
            }
        }
        for _ in 1...3 { isWarm.wait() }
        let crew = Crew()
        guard crew.works() else { throw Probe.Failure(description: "the crew does not work") }
        for round in 1...rounds {
            // Each fork comes at another point of the threads' work.
            usleep(UInt32(1000 + round * 977 % 20_000))
            let child = try Fork.inChild {
                do {
                    try operations.perform(number: 4)
                    guard crew.works() else { throw Probe.Failure(description: "a crew waits for the parent's thread") }
                    guard CoreBudget.coreCount == 1 || CoreBudget().hasHelper else {
                        throw Probe.Failure(description: "the parent's threads take the cores")
                    }
                } catch {
                    print("round \(round): \(error)")
                    fflush(nil)
                    _exit(2)
                }
            }
            let status = probe_wait(child)
            guard status == 0 else {
                throw Probe.Failure(description: "round \(round): the child ended with \(status)")
            }
        }
        print("\(rounds) rounds")
        fflush(nil)
        _exit(0)
    }
}

/// A crew of at most one thread, which waits for work between two calls.
private final class Crew: Sendable {
    private let waiting: Waiting
    private let done = DispatchSemaphore(value: 0)
    private let crew: ThreadCrew

    init() {
        let (waiting, done) = (Waiting(), done)
        crew = ThreadCrew(maximumCount: 1) {
            guard waiting.take() else { return false }
            done.signal()
            return true
        }
        self.waiting = waiting
    }

    func works() -> Bool {
        waiting.add()
        crew.call()
        return done.wait(timeout: .now() + .seconds(120)) == .success
    }

    final class Waiting: Sendable {
        private let count = Atomic(0)
        func add() { count.add(1, ordering: .relaxed) }
        func take() -> Bool {
            guard count.load(ordering: .relaxed) > 0 else { return false }
            count.subtract(1, ordering: .relaxed)
            return true
        }
    }
}
