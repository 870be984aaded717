import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// Large files get a helper while a core is free for it.
@Suite struct HelperSeatTests {
    private func takes(_ seat: inout HelperSeat, chunks count: Int) -> [Bool] {
        (0..<count).map { _ in seat.askForHelper() }
    }

    @Test func notToTheFirstChunks() {
        CoreBudget.$isUnlimited.withValue(true) {
            var seat = HelperSeat(isSerial: false)
            #expect(takes(&seat, chunks: 8) == [false, false, false, false, true, true, true, true])
            var serial = HelperSeat(isSerial: true)
            #expect(takes(&serial, chunks: 8) == [Bool](repeating: false, count: 8))
        }
    }

    /// Small work gets no helper, and takes none away from others.
    @Test func notToLittleWork() {
        let hasHelper = CoreBudget.$isUnlimited.withValue(true) { CoreBudget(isLarge: false).hasHelper }
        #expect(!hasHelper)
    }

    /// A seat that got no helper while all cores were busy asks again, and keeps the helper that it gets.
    @Test func asksAgain() {
        var seat = HelperSeat(isSerial: false)
        withBudgets(CoreBudget.coreCount) { #expect(takes(&seat, chunks: 8) == [Bool](repeating: false, count: 8)) }
        CoreBudget.$isUnlimited.withValue(true) { #expect(takes(&seat, chunks: 2) == [true, true]) }
        withBudgets(CoreBudget.coreCount) { #expect(takes(&seat, chunks: 2) == [true, true], "it stays") }
    }

    /// Calls `body` while at least `count` threads are at work.
    private func withBudgets(_ count: Int, _ body: () -> Void) {
        guard count > 0 else { return body() }
        let budget = CoreBudget()
        withBudgets(count - 1, body)
        _ = budget.hasHelper
    }
}
