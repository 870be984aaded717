import CryptorFiles

/// Turns Ctrl-C and similar signals into an orderly end: the signal is noted, and the work in
/// progress checks for it, throws and cleans up.
enum Interruption {
    /// The signal that came, or 0.
    static var signal: Int32 { cprocess_noted_signal() }

    /// A progress handler, which cancels by throwing.
    static func check(_ progress: FileProgress) throws {
        AttributeWarning.note(progress)
        if signal != 0 { throw CancellationError() }
    }

    /// Calls `body` with one piece of `range` after the other, and throws `cancelled` between them
    /// if a signal has come. Work on a large array is done like this.
    static func pieces(
        of range: Range<Int>, _ body: (Range<Int>) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        var rest = range
        while !rest.isEmpty {
            if signal != 0 { throw .cancelled }
            let piece = rest.prefix(pieceByteCount)
            try body(piece)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// The first index of `range` that is wanted; nil if there is none. It looks no further: to
    /// look for one after the other takes one way through the whole.
    static func firstIndex(
        in range: Range<Int>, where isWanted: (Int) -> Bool
    ) throws(CryptorError) -> Int? {
        var rest = range
        while !rest.isEmpty {
            if signal != 0 { throw .cancelled }
            let piece = rest.prefix(pieceByteCount)
            if let index = piece.first(where: isWanted) { return index }
            rest = rest.dropFirst(piece.count)
        }
        return nil
    }

    /// A whole number of blocks, which the cache holds.
    private static let pieceByteCount = 64 * 1024
}
