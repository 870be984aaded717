import Testing

@testable import CryptorFormat

/// What is set going is taken back once, whichever comes first.
@Suite struct WithdrawalTests {
    @Test(arguments: [true, false]) func takenBackOnce(isArmedFirst: Bool) {
        let notes = Notes<Int>()
        let withdrawal = Withdrawal()
        if isArmedFirst {
            withdrawal.arm { notes.add(1) }
            #expect(notes.all.isEmpty)
            withdrawal.withdraw()
        } else {
            withdrawal.withdraw()
            #expect(notes.all.isEmpty)
            withdrawal.arm { notes.add(1) }
        }
        #expect(notes.all == [1])
        withdrawal.withdraw()
        #expect(notes.all == [1])
    }
}
