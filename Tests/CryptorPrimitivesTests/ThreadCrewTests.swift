import CryptorTestSupport
import Foundation
import Synchronization
import Testing

@testable import CryptorPrimitives

/// A crew has as many threads as it may have, for as long as there is work, and no more.
@Suite(.unlessItHangs) struct ThreadCrewTests {
    /// Pieces of work. `size` of them must be under way at a time before any of them ends.
    private final class Meeting: Sendable {
        private struct State {
            var waitingCount = 0
            var underWayCount = 0
            var mostUnderWay = 0
            var present = 0
        }

        private let size: Int
        private let state = Mutex(State())
        private let arrived = DispatchSemaphore(value: 0)
        private let done = DispatchSemaphore(value: 0)

        init(of size: Int) { self.size = size }

        var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

        func add() { state.withLock { $0.waitingCount += 1 } }

        /// Does one piece, which waits until the others of its meeting have come.
        func work() -> Bool {
            let isMine = state.withLock { state in
                guard state.waitingCount > 0 else { return false }
                state.waitingCount -= 1
                state.underWayCount += 1
                state.mostUnderWay = max(state.mostUnderWay, state.underWayCount)
                state.present += 1
                if state.present == size {
                    state.present = 0
                    for _ in 0..<size { arrived.signal() }
                }
                return true
            }
            guard isMine else { return false }
            let isMet = arrived.wait(timeout: .now() + 120) == .success
            state.withLock { $0.underWayCount -= 1 }
            if isMet { done.signal() }
            return true
        }

        /// Whether `count` pieces come to be under way at a time.
        func waits(for count: Int) -> Bool {
            for _ in 0..<20_000 where state.withLock({ $0.underWayCount }) < count { usleep(1000) }
            return state.withLock { $0.underWayCount } >= count
        }

        /// Whether `count` pieces have been done, each together with the others of its meeting.
        func finish(_ count: Int) -> Bool {
            (0..<count).allSatisfy { _ in done.wait(timeout: .now() + 120) == .success }
        }
    }

    @Test(arguments: [1, 2, 5])
    func keepsItsThreads(count: Int) {
        let meeting = Meeting(of: count)
        let crew = ThreadCrew(maximumCount: count) { meeting.work() }
        defer { crew.dismiss() }
        for round in 0..<20 {
            for _ in 0..<count {
                meeting.add()
                crew.call()
            }
            guard meeting.finish(count) else {
                Issue.record("round \(round): fewer than \(count) threads")
                return
            }
        }
        #expect(meeting.mostUnderWay == count)
    }

    /// The crew starts more threads when there is more work at a time, however much one thread has done alone.
    @Test func startsThreadsLater() {
        let (one, all) = (Meeting(of: 1), Meeting(of: 4))
        let crew = ThreadCrew(maximumCount: 4) { one.work() || all.work() }
        defer { crew.dismiss() }
        for _ in 0..<20 {
            one.add()
            crew.call()
            #expect(one.finish(1))
        }
        for _ in 0..<4 {
            all.add()
            crew.call()
        }
        #expect(all.finish(4) && all.mostUnderWay == 4)
    }

    /// Threads at work are not idle: each call finds another thread, up to the last.
    @Test func whoWorksIsNotIdle() {
        let count = 4
        let meeting = Meeting(of: count)
        let crew = ThreadCrew(maximumCount: count) { meeting.work() }
        defer { crew.dismiss() }
        for round in 0..<3 {
            for number in 1...count {
                meeting.add()
                crew.call()
                // The last piece of a round ends all pieces of that round.
                guard number == count || meeting.waits(for: number) else {
                    Issue.record("round \(round): no thread for piece \(number)")
                    return
                }
            }
            #expect(meeting.finish(count), "round \(round)")
        }
    }

    /// If there is more work than threads, the rest of it waits.
    @Test func startsNoMoreThreads() {
        let meeting = Meeting(of: 2)
        let crew = ThreadCrew(maximumCount: 2) { meeting.work() }
        defer { crew.dismiss() }
        for _ in 0..<40 { meeting.add() }
        for _ in 0..<40 { crew.call() }
        #expect(meeting.finish(40))
        #expect(meeting.mostUnderWay == 2)
    }

    /// A call is not forgotten because a thread came too early, when it found nothing to do.
    @Test(arguments: [1, 2, 5])
    func looksAgain(pieceCount: Int) {
        let state = Mutex((waitingCount: pieceCount, isFirst: true, isLocked: false, foundNothing: 0))
        let done = DispatchSemaphore(value: 0)
        let crew = ThreadCrew(maximumCount: 2) {
            let isFirst: Bool? = state.withLock { state in
                guard !state.isLocked, state.waitingCount > 0 else {
                    state.foundNothing += 1
                    return nil
                }
                state.waitingCount -= 1
                defer { state.isFirst = false }
                if state.isFirst { state.isLocked = true }
                return state.isFirst
            }
            guard let isFirst else { return false }
            if isFirst {
                // The other thread has answered all calls but one.
                for _ in 0..<20_000 where state.withLock({ $0.foundNothing }) < pieceCount - 1 { usleep(1000) }
                state.withLock { $0.isLocked = false }
            }
            done.signal()
            return true
        }
        defer { crew.dismiss() }
        for _ in 0..<pieceCount { crew.call() }
        for number in 1...pieceCount where done.wait(timeout: .now() + 120) == .timedOut {
            Issue.record("piece \(number) of \(pieceCount)")
            return
        }
    }

    // MARK: Guests

    /// Runs `body` on a thread of its own.
    private func begin(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }

    /// A guest is woken for each call, and waits in between.
    @Test func aGuestSleeps() {
        let askedCount = Mutex(0)
        let crew = ThreadCrew(maximumCount: 1) {
            askedCount.withLock { $0 += 1 }
            return false
        }
        crew.join { end in
            crew.call()
            crew.call()
            begin {
                for _ in 0..<20_000 where askedCount.withLock({ $0 }) < 3 { usleep(1000) }
                usleep(20_000)
                end()
            }
        }
        #expect(askedCount.withLock { $0 } == 3, "for either call, and for what has come before them")
    }

    /// A guest does the work that comes while it waits, if there is no other thread.
    @Test(arguments: 1...3)
    func aGuestIsCalled(pieceCount: Int) {
        let meeting = Meeting(of: 1)
        let crew = ThreadCrew(maximumCount: 1) { meeting.work() }
        crew.join { end in
            begin {
                for number in 1...pieceCount {
                    usleep(20_000)
                    meeting.add()
                    crew.call()
                    if !meeting.finish(1) { Issue.record("piece \(number): the guest did not come") }
                }
                end()
            }
        }
    }

    /// A call that reaches a guest in its last moment gets another thread, if the guest's own thread then calls for
    /// what waits.
    @Test func aGuestLeaves() {
        let meeting = Meeting(of: 1)
        let crew = ThreadCrew(maximumCount: 1) { meeting.work() }
        defer { crew.dismiss() }
        for round in 0..<50 {
            crew.join { end in
                begin {
                    usleep(2000)
                    end()
                    meeting.add()
                    crew.call()
                }
            }
            crew.call()
            guard meeting.finish(1) else {
                Issue.record("round \(round): nobody came")
                return
            }
        }
    }

    /// No call goes to a guest that has left, whichever of several guests comes or leaves first.
    @Test func guestsLeave() {
        let meeting = Meeting(of: 1)
        let crew = ThreadCrew(maximumCount: 2) { meeting.work() }
        defer { crew.dismiss() }
        for round in 0..<20 {
            let gone = DispatchSemaphore(value: 0)
            for delay in [10_000, 20_000] as [useconds_t] {
                begin {
                    crew.join { end in
                        begin {
                            usleep(delay)
                            end()
                        }
                    }
                    gone.signal()
                }
                usleep(2000)
            }
            for _ in 0..<2 { gone.wait() }
            meeting.add()
            crew.call()
            guard meeting.finish(1) else {
                Issue.record("round \(round): nobody came")
                return
            }
        }
    }

    /// If no thread can be started, work that a piece calls for is done after that piece, so that nothing piles up on
    /// the stack.
    @Test func aLongLine() {
        let left = Mutex(1)
        let doneCount = Mutex(0)
        let count = 300_000
        let own = Mutex<ThreadCrew?>(nil)
        let crew = ThreadCrew(maximumCount: 1) {
            guard
                left.withLock({ left in
                    defer { left = 0 }
                    return left > 0
                })
            else { return false }
            let isLast = doneCount.withLock { doneCount in
                doneCount += 1
                return doneCount == count
            }
            if !isLast {
                left.withLock { $0 = 1 }
                own.withLock { $0 }?.call()
            }
            return true
        }
        own.withLock { $0 = crew }
        defer {
            own.withLock { $0 = nil }
            crew.dismiss()
        }
        ThreadCrew.$hasNoThreads.withValue(true) { crew.call() }
        #expect(doneCount.withLock { $0 } == count)
    }

    @Test func aCrewOfNobodyIsAnError() async {
        await #expect(processExitsWith: .failure) { _ = ThreadCrew(maximumCount: 0) { false } }
        await #expect(processExitsWith: .success) { _ = ThreadCrew(maximumCount: 1) { false } }
    }

    /// If no thread can be started, the caller does the work, and the next call asks for a thread again.
    @Test func asksAgain() {
        let meeting = Meeting(of: 1)
        let crew = ThreadCrew(maximumCount: 1) { meeting.work() }
        defer { crew.dismiss() }
        ThreadCrew.$hasNoThreads.withValue(true) {
            meeting.add()
            crew.call()
        }
        #expect(meeting.finish(1))
        let isCaller = Mutex(true)
        let caller = ObjectIdentifier(Thread.current)
        let own = ThreadCrew(maximumCount: 1) {
            isCaller.withLock { $0 = ObjectIdentifier(Thread.current) == caller }
            return meeting.work()
        }
        defer { own.dismiss() }
        for hasNoThreads in [true, false] {
            ThreadCrew.$hasNoThreads.withValue(hasNoThreads) {
                meeting.add()
                own.call()
            }
            #expect(meeting.finish(1))
            #expect(isCaller.withLock { $0 } == hasNoThreads)
        }
    }

    #if os(Linux)
    /// Threads that have ended leave nothing behind, not even their stacks. These are 9 GiB in total, of which the
    /// system may keep a few.
    @Test(.disabled(if: Sanitizer.watchesMemory, "sanitizers keep what was freed")) func threadsLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            let before = try ProcessMemory.reserved.byteCount()
            for _ in 0..<600 {
                let done = DispatchSemaphore(value: 0)
                let crew = ThreadCrew(maximumCount: 1, stackByteCount: 16 << 20) {
                    done.signal()
                    return false
                }
                crew.call()
                done.wait()
                crew.dismiss()
            }
            // Some threads are about to end.
            var isGone = false
            for _ in 0..<600 where !isGone {
                isGone = try ProcessMemory.reserved.byteCount() - before < 4 << 30
                if !isGone { usleep(50_000) }
            }
            precondition(isGone)
        }
    }
    #endif
}
