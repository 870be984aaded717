import CryptorSystem

/// Decides whether a helper should work on the next chunk of a file: not on the first ones, so that small files never
/// touch another thread, and not while all cores are busy.
package struct HelperSeat: ~Copyable {
    /// The number of chunks that are worked on before a helper is worth its cost.
    private static let lonelyChunkCount = 4

    private let isSerial: Bool
    private var chunkCount = 0
    private var budget: CoreBudget?

    package init(isSerial: Bool) {
        self.isSerial = isSerial
    }

    /// Whether a helper should work on the next chunk. Called once per chunk.
    package mutating func askForHelper() -> Bool {
        chunkCount += 1
        guard !isSerial, chunkCount > Self.lonelyChunkCount else { return false }
        if budget == nil { budget = CoreBudget() } else { budget?.askForHelper() }
        return budget?.hasHelper ?? false
    }
}
