import CryptorFiles
import CryptorSystem

/// Reads a file or standard input in blocks of whole lines.
struct LineReader: ~Copyable {
    private static let byteCount = 128 * 1024

    private let name: FileEndpoint
    private let input: FileDescriptor
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

    private init(_ name: FileEndpoint, _ input: consuming FileDescriptor, byteLimit: Int) {
        self.name = name
        self.input = input
        self.byteLimit = byteLimit
    }

    /// Opens the input. A FIFO is waited for until it has a writer.
    ///
    /// Not an initialiser: the Swift 6.2 compiler crashes on one that throws here.
    static func open(
        _ input: FileEndpoint, byteLimit: Int
    ) throws(CommandError) -> LineReader {
        LineReader(input, try descriptor(of: input), byteLimit: byteLimit)
    }

    private static func descriptor(
        of endpoint: FileEndpoint
    ) throws(CommandError) -> FileDescriptor {
        guard let path = endpoint.pathBytes else {
            return FileDescriptor(borrowing: endpoint.descriptor ?? STDIN_FILENO)
        }
        while Interruption.signal == 0 {
            do throws(SystemError) {
                let path = try FilePath(path)
                let directory = try DirectoryDescriptor.open(path.directory)
                return try directory.open(path.name, for: .read, following: true)
            } catch .interrupted {
                continue
            } catch {
                throw CommandError(.noInput, "\(endpoint): It cannot be opened: \(error).")
            }
        }
        throw .interrupted
    }

    /// Waits for the next block, which may have no whole line.
    /// - Returns: false after the end of the input.
    mutating func readBlock() throws(CommandError) -> Bool {
        guard !isAtEnd else { return false }
        lines.removeAll(keepingCapacity: true)
        block.removeSubrange(..<start)
        start = 0
        var unsearched = block.count
        isAtEnd = try read() == 0
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

    /// Appends what comes next, and returns its length, 0 at the end. A signal that should end the
    /// run ends the wait.
    private mutating func read() throws(CommandError) -> Int {
        while Interruption.signal == 0 {
            do throws(SystemError) {
                return try input.read(upTo: Self.byteCount, appendingTo: &block)
            } catch .wouldBlock {
                // Whatever ends the wait, the next read tells how it is.
                _ = try? input.wait(forReading: true, milliseconds: -1)
            } catch .interrupted {
                continue
            } catch {
                throw CommandError(.inputOutput, "\(name): It cannot be read: \(error).")
            }
        }
        throw .interrupted
    }
}
