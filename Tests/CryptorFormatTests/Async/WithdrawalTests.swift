import Testing

@testable import CryptorFormat

/// Work is taken back once, whether it or the cancellation comes first.
@Suite struct WithdrawalTests {
    @Test(arguments: [true, false]) func takenBackOnce(isArmedFirst: Bool) {
        let notes = Notes<Int>()
        let withdrawal = Withdrawal()
        if isArmedFirst {
            withdrawal.arm(step: 0) { notes.add(1) }
            #expect(notes.all.isEmpty)
            withdrawal.withdraw()
        } else {
            withdrawal.withdraw()
            #expect(notes.all.isEmpty)
            withdrawal.arm(step: 0) { notes.add(1) }
        }
        #expect(notes.all == [1])
        withdrawal.withdraw()
        #expect(notes.all == [1])
    }

    /// Only the last of several steps is taken back, in whichever order they are armed.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [2, 1, 0]]) func theLastStep(steps: [Int]) {
        let notes = Notes<Int>()
        let withdrawal = Withdrawal()
        for step in steps { withdrawal.arm(step: step) { notes.add(step) } }
        withdrawal.withdraw()
        #expect(notes.all == [2])
        // A step that begins after the cancellation is taken back at once.
        withdrawal.arm(step: 3) { notes.add(3) }
        #expect(notes.all == [2, 3])
    }

    /// After the end of the wait, a cancellation takes nothing back, and the withdrawal holds nothing.
    @Test func nothingIsTakenBackAfterTheEnd() {
        final class Held: Sendable {}
        let notes = Notes<Int>()
        let withdrawal = Withdrawal()
        weak var held: Held?
        do {
            let own = Held()
            held = own
            withdrawal.arm(step: 0) { [own] in withExtendedLifetime(own) { notes.add(0) } }
        }
        #expect(held != nil)
        withdrawal.end()
        #expect(held == nil)
        withdrawal.withdraw()
        withdrawal.arm(step: 1) { notes.add(1) }
        #expect(notes.all.isEmpty)
    }
}
