import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CryptorCommand

private final class Shared<State: Sendable>: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
}

/// Every file is handed out once, with what was prepared for it, whatever the threads do in the meantime.
@Suite struct PreparedQueueTests {
    private struct Outcome {
        var files: [Int] = []
        var groups: [Range<Int>] = []
        /// Files that came with what was prepared for others, and what came after the end.
        var wrong: [Int] = []
    }

    /// Takes everything from a queue on so many threads; nil if one of them never ends.
    private func drain(
        _ count: Int, inGroupsOf groupCount: Int, onThreads threadCount: Int, pause: @escaping @Sendable (Int) -> Void
    ) -> Outcome? {
        let outcome = Shared(Outcome())
        let queue = PreparedQueue(count, inGroupsOf: groupCount) { group in
            pause(group.lowerBound)
            outcome.state.withLock { $0.groups.append(group) }
            return group
        }
        let threads = DispatchGroup()
        for _ in 0..<threadCount {
            threads.enter()
            Thread.detachNewThread {
                while let (index, group) = queue.next() {
                    outcome.state.withLock {
                        $0.files.append(index)
                        if !group.contains(index) { $0.wrong.append(index) }
                    }
                }
                if let (index, _) = queue.next() { outcome.state.withLock { $0.wrong.append(index) } }
                threads.leave()
            }
        }
        // It takes milliseconds: this is the end of a wait that has none.
        guard threads.wait(timeout: .now() + .seconds(120)) == .success else { return nil }
        return outcome.state.withLock { $0 }
    }

    private func check(
        _ count: Int, inGroupsOf groupCount: Int, onThreads threadCount: Int,
        pause: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        let name = "\(count) files in groups of \(groupCount) on \(threadCount) threads"
        let outcome = try #require(
            drain(count, inGroupsOf: groupCount, onThreads: threadCount, pause: pause), "\(name): a wait without end")
        #expect(outcome.files.sorted() == Array(0..<count), "\(name)")
        #expect(outcome.groups.flatMap(Array.init).sorted() == Array(0..<count), "\(name)")
        #expect(outcome.wrong.isEmpty, "\(name)")
    }

    @Test(arguments: [0, 1, 3, 4, 5, 64, 1001], [1, 4, 7])
    func everyFileOnce(count: Int, groupCount: Int) throws {
        for threadCount in [1, 2, 3, 16] {
            for _ in 0..<20 { try check(count, inGroupsOf: groupCount, onThreads: threadCount) }
        }
    }

    /// Threads wait for the last group while another prepares it, and all of them go on.
    @Test(arguments: [2, 8, 16])
    func theLastGroupIsWaitedFor(threadCount: Int) throws {
        for _ in 0..<20 {
            try check(16, inGroupsOf: 4, onThreads: threadCount) { index in
                if index % 4 == 0 { Thread.sleep(forTimeInterval: 0.0005 * Double(1 + index % 3)) }
            }
        }
    }
}
