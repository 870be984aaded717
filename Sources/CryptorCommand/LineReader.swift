import CryptorFormat

/// Lines of standard input, each without its newline. The last one may lack it.
struct LineReader {
    /// The next lines.
    struct Lines: Sendable {
        var lines = ByteColumn()
        /// The numbers, in these, of those that are longer than the limit: skipped to their ends, and empty here.
        var tooLong: Set<Int> = []
        var isAtEnd = false
        /// Why no more can be read, which ends the input, too.
        var failure: CommandError?
    }

    private static let chunkByteCount = 64 * 1024

    private let byteLimit: Int
    private var chunk = [UInt8](repeating: 0, count: chunkByteCount)
    /// The part of the chunk that is not used up.
    private var rest = 0..<0
    /// Of a line that is not complete.
    private var start: [UInt8] = []
    private var isTooLong = false

    /// - Parameter byteLimit: the most that a line may have.
    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// Whether something has come that was not read, or the end.
    var hasNews: Bool { !rest.isEmpty || isReady(STDIN_FILENO, toRead: true, timeout: 0) }

    /// Waits for a line, and returns it with those that come right after it.
    /// - Parameters:
    ///   - mayWait: whether to wait; otherwise there may be none.
    ///   - limit: the most lines.
    ///   - byteCount: where to stop: the last line may go beyond.
    mutating func read(atMost limit: Int, byteCount: Int, mayWait: Bool) -> Lines {
        var found = Lines()
        while found.lines.count < limit, found.lines.bytes.count < byteCount {
            if rest.isEmpty {
                // Whoever waits for what has come so far gets it.
                let waits = mayWait && found.lines.count == 0
                guard waits || isReady(STDIN_FILENO, toRead: true, timeout: 0) else { break }
                do throws(CommandError) {
                    found.isAtEnd = try !fill()
                } catch {
                    // What came before is not lost by it.
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
                // A line may be as long as somebody likes: what comes before it does not wait for its end.
                let isChunk = rest.lowerBound == 0
                extendLine(by: rest)
                rest = 0..<0
                if isChunk, found.lines.count > 0 || !mayWait { break }
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
            // Not counted with those that are passed on.
            start = []
            return
        }
        start.append(contentsOf: chunk[range])
    }

    private mutating func endLine(with range: Range<Int>, _ found: inout Lines) {
        if isTooLong || start.count + range.count > byteLimit {
            found.tooLong.insert(found.lines.count)
            found.lines.append([])
        } else if start.isEmpty {
            append(chunk, range, to: &found.lines)
        } else {
            found.lines.append { line in
                line += start
                line += chunk[range]
            }
        }
        if !start.isEmpty { start = [] }
        isTooLong = false
    }

    /// Reads a chunk; false at the end of the input.
    private mutating func fill() throws(CommandError) -> Bool {
        while true {
            if Interruption.signal != nil { throw .interrupted }
            let count = readBytes(STDIN_FILENO, into: &chunk, at: 0)
            if count >= 0 {
                rest = 0..<count
                return count > 0
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: _ = isReady(STDIN_FILENO, toRead: true, timeout: -1)
            case let number:
                throw CommandError(.inputOutput, "standard input: It cannot be read: \(systemMessage(number)).")
            }
        }
    }
}
