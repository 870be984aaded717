import Testing

@testable import CryptorPrimitives

/// A helper comes to files that are large, while there is a core for it.
@Suite struct HelperSeatTests {
    private func takes(_ seat: inout HelperSeat, chunks count: Int) -> [Bool] {
        (0..<count).map { _ in seat.isTaken() }
    }

    @Test func notToTheFirstChunks() {
        CoreBudget.$isUnlimited.withValue(true) {
            var seat = HelperSeat(isSerial: false)
            #expect(takes(&seat, chunks: 8) == [false, false, false, false, true, true, true, true])
            var serial = HelperSeat(isSerial: true)
            #expect(takes(&serial, chunks: 8) == [Bool](repeating: false, count: 8))
        }
    }

    /// Little work has none, and takes none away from others.
    @Test func notToLittleWork() {
        let hasHelper = CoreBudget.$isUnlimited.withValue(true) { CoreBudget(isLarge: false).hasHelper }
        #expect(!hasHelper)
    }

    /// All cores are busy, and then one is not.
    @Test func asksAgain() {
        var seat = HelperSeat(isSerial: false)
        withBudgets(CoreBudget.coreCount) { #expect(takes(&seat, chunks: 8) == [Bool](repeating: false, count: 8)) }
        CoreBudget.$isUnlimited.withValue(true) { #expect(takes(&seat, chunks: 2) == [true, true]) }
        withBudgets(CoreBudget.coreCount) { #expect(takes(&seat, chunks: 2) == [true, true], "it stays") }
    }

    /// Calls `body` while so many threads, at the least, are at work.
    private func withBudgets(_ count: Int, _ body: () -> Void) {
        guard count > 0 else { return body() }
        let budget = CoreBudget()
        withBudgets(count - 1, body)
        _ = budget.hasHelper
    }
}
