import CryptorFormat

/// Lines of standard input, each without its newline. The last one may lack it.
struct LineReader {
    /// The next lines.
    struct Lines: Sendable {
        /// The bytes of all lines, one after the other, and where each line is.
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        /// The indices of lines longer than the limit: they were skipped, and are empty here.
        var tooLong: Set<Int> = []
        var isAtEnd = false
        /// Why no more can be read. The input ends here, so `isAtEnd` is set as well.
        var failure: CommandError?

        var count: Int { ranges.count }

        subscript(index: Int) -> ArraySlice<UInt8> { bytes[ranges[index]] }

        fileprivate mutating func append(_ start: [UInt8], _ rest: ArraySlice<UInt8>) {
            let first = bytes.count
            bytes += start
            bytes += rest
            ranges.append(first..<bytes.count)
        }
    }

    private static let chunkByteCount = 64 * 1024

    private let byteLimit: Int
    private var chunk = [UInt8](repeating: 0, count: chunkByteCount)
    /// The part of the chunk that is not used up.
    private var rest = 0..<0
    /// The start of a line that is not complete.
    private var start: [UInt8] = []
    private var isTooLong = false

    /// - Parameter byteLimit: the most bytes that a line may have.
    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// Whether input is there that has not been used, or the input has ended.
    var hasNews: Bool { !rest.isEmpty || isReady(STDIN_FILENO, toRead: true, timeout: 0) }

    /// Waits for a line, and returns it with the lines that come right after it.
    /// - Parameters:
    ///   - mayWait: whether to wait; if not, the result may have no lines.
    ///   - limit: the most lines to return.
    ///   - byteCount: the number of bytes at which to stop. The last line may go beyond it.
    mutating func read(atMost limit: Int, byteCount: Int, mayWait: Bool) -> Lines {
        var found = Lines()
        while found.count < limit, found.bytes.count < byteCount {
            if rest.isEmpty {
                // Lines that were found are returned at once, so this waits only if there are none.
                let waits = mayWait && found.count == 0
                guard waits || isReady(STDIN_FILENO, toRead: true, timeout: 0) else { break }
                do throws(CommandError) {
                    found.isAtEnd = try !fill()
                } catch {
                    // The lines that came before the failure are still returned.
                    found.failure = error
                    found.isAtEnd = true
                    break
                }
                if found.isAtEnd {
                    if !start.isEmpty || isTooLong { endLine(with: 0..<0, &found) }
                    break
                }
            }
            guard let newline = firstIndex(of: UInt8(ascii: "\n"), in: chunk, rest) else {
                // The line may be of any length: the lines before it must not wait for its end.
                let isChunk = rest.lowerBound == 0
                extendLine(by: rest)
                rest = 0..<0
                if isChunk, found.count > 0 || !mayWait { break }
                continue
            }
            endLine(with: rest.lowerBound..<newline, &found)
            rest = newline + 1..<rest.upperBound
        }
        return found
    }

    private mutating func extendLine(by range: Range<Int>) {
        guard !isTooLong, start.count + range.count <= byteLimit else {
            isTooLong = true
            // Its bytes are released, since the limit for bytes under way does not count them.
            start = []
            return
        }
        start.append(contentsOf: chunk[range])
    }

    private mutating func endLine(with range: Range<Int>, _ found: inout Lines) {
        if isTooLong || start.count + range.count > byteLimit {
            found.tooLong.insert(found.count)
            found.append([], [])
        } else {
            found.append(start, chunk[range])
        }
        if !start.isEmpty { start = [] }
        isTooLong = false
    }

    /// Reads a chunk; false at the end of the input.
    private mutating func fill() throws(CommandError) -> Bool {
        if Interruption.signal != nil { throw .interrupted }
        let count = readBytes(STDIN_FILENO, into: &chunk, at: 0)
        guard count >= 0 else { throw .unreadable(.standardInput, errno, status: .inputOutput) }
        rest = 0..<count
        return count > 0
    }
}
