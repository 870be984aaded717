import CryptorFiles

/// Reads a file or standard input in blocks of whole lines.
struct LineReader: ~Copyable {
    private static let byteCount = 128 * 1024

    private var input: InputFile
    private let byteLimit: Int
    private(set) var block: [UInt8] = []
    /// The places in the block of the lines that are whole, without their newlines; nil for one
    /// that is too long.
    private(set) var lines: [Range<Int>?] = []
    /// The start of the next line, which the block ends with.
    private var start = 0
    /// Whether the next line is longer than the limit already, so that its start was dropped.
    private var isTooLong = false
    private var isAtEnd = false

    private init(_ input: consuming InputFile, byteLimit: Int) {
        self.input = input
        self.byteLimit = byteLimit
    }

    /// Opens the input. A FIFO is waited for until it has a writer.
    ///
    /// Not an initialiser: the Swift 6.2 compiler crashes on one that throws here.
    static func open(
        _ input: FileEndpoint, byteLimit: Int
    ) throws(CryptorError) -> LineReader {
        LineReader(
            try InputFile.open(input, progress: Interruption.check), byteLimit: byteLimit)
    }

    /// Waits for the next block, which may have no whole line.
    /// - Returns: false after the end of the input.
    mutating func readBlock() throws(CryptorError) -> Bool {
        guard !isAtEnd else { return false }
        lines.removeAll(keepingCapacity: true)
        block.removeSubrange(..<start)
        start = 0
        var unsearched = block.count
        isAtEnd = try input.appendAvailable(upTo: Self.byteCount, to: &block) == 0
        // The last line may lack its newline.
        let hasRest = !block.isEmpty || isTooLong
        if isAtEnd, hasRest { block.append(Lines.newline) }
        while let end = firstIndex(of: Lines.newline, in: block, unsearched..<block.count) {
            takeLine(endingAt: end)
            unsearched = start
        }
        if block.count - start > byteLimit { isTooLong = true }
        if isTooLong { start = block.count }
        return true
    }

    private mutating func takeLine(endingAt end: Int) {
        let fits = !isTooLong && end - start <= byteLimit
        lines.append(fits ? start..<end : nil)
        start = end + 1
        isTooLong = false
    }
}
