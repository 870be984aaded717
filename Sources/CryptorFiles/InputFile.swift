package import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A file that is read from start to end: as it is or, where it may be base64 text, decoded.
package struct InputFile: ~Copyable {
    private let file: WorkingFile
    /// Where the file has its name; nil for a descriptor of the caller's.
    private let place: FilePlace?
    let status: FileStatus
    /// The offset where reading begins; nil for a file that can be read only once.
    let start: Int?
    /// The number of bytes to read, if it is known before they are read.
    let byteCount: Int?
    private var bytesRead = 0
    /// Whether all has been read. A stream is not read again: input at a terminal after Ctrl-D is
    /// for others (termios(3)).
    private var hasEnded = false
    private var isLocked = false

    private(set) var decoder: Base64Decoder?
    /// Bytes that were read, and decoded from base64 text, but not asked for yet.
    private var pending: [UInt8] = []

    // MARK: Opening

    /// Opens a file for the command, which reads it by ``appendAvailable(upTo:to:)``.
    package static func open(
        _ endpoint: FileEndpoint, progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> InputFile {
        try open(endpoint, progress: ProgressReporter(progress))
    }

    /// Opens a file. For a FIFO, this waits until it has a writer.
    /// - Parameter requiringTrust: whether a link of another user in a directory of others is
    ///   refused, and a terminal.
    static func open(
        _ endpoint: FileEndpoint, requiringTrust: Bool = false, progress: ProgressReporter
    ) throws(CryptorError) -> InputFile {
        let context = FileContext(.openingInput, endpoint.name, progress: progress)
        let place = try FilePlace(endpoint, context)
        let trusted = requiringTrust ? try place?.trustedStatus() : nil
        let opened = try place?.open(for: .read)
        let descriptor =
            if let opened { opened } else { FileDescriptor(borrowing: endpoint.descriptor ?? -1) }
        var file = WorkingFile(descriptor, context)
        let status = try file.status()
        if requiringTrust {
            if place != nil, trusted?.kind != .symbolicLink, trusted?.identity != status.identity {
                throw context.failure(
                    "Another file took its name while it was opened.", because: .notPermitted)
            }
            if file.descriptor.isTerminal {
                throw context.failure(
                    "It is a terminal, which would show what you type.", code: .invalidCredential)
            }
        }
        try file.require(.read)
        guard status.kind != .directory else { throw context.failure(of: .isDirectory) }
        let start = status.kind == .regular ? file.descriptor.position() : nil
        // Some of the kernel's own files report a length of 0, whatever they contain.
        let byteCount = start.flatMap { status.byteCount > $0 ? status.byteCount - $0 : nil }
        progress.totalByteCount = byteCount
        file.context.operation = .readingInput
        return InputFile(
            file: file, place: place, status: status, start: start, byteCount: byteCount)
    }

    private init(
        file: consuming WorkingFile, place: consuming FilePlace?, status: FileStatus, start: Int?,
        byteCount: Int?
    ) {
        self.file = file
        self.place = place
        self.status = status
        self.start = start
        self.byteCount = byteCount
    }

    deinit {
        // A child of this process may have a descriptor of the file, which would hold the lock.
        if isLocked { file.descriptor.unlock() }
    }

    /// The name of the file in errors.
    var name: FileName { file.context.name }
    var progress: ProgressReporter { file.context.progress }

    // MARK: Reading

    var isBase64: Bool { decoder != nil }
    /// The length of the message, if it is known before it is read.
    var messageByteCount: Int? { isBase64 ? nil : byteCount }

    /// Adds the bytes of another reading to the total. The copy of base64 text is shorter.
    func expectAnotherPass() {
        // Not a closure: the Swift 6.2 compiler crashes on one here.
        guard let byteCount else { return }
        progress.totalByteCount = Int(
            clamping: UInt(byteCount) + UInt(isBase64 ? byteCount / 4 * 3 : byteCount))
    }

    /// Decodes the file if it starts like a message in base64 text. Nothing must have been read
    /// before.
    mutating func acceptBase64() throws(CryptorError) {
        var start: [UInt8] = []
        try read(MessageHeader.base64ProbeByteCount, into: &start)
        guard MessageHeader.isBase64Text(start) else { return pending = start }
        decoder = Base64Decoder()
        try decode(start)
    }

    /// Appends the next `count` bytes to `buffer`, fewer only at the end of the file.
    mutating func append(_ count: Int, to buffer: inout [UInt8]) throws(CryptorError) {
        while isBase64, !hasEnded, pending.count < count {
            // Four characters stand for three bytes, and there are line breaks.
            var text: [UInt8] = []
            try read(min(max(4096, 2 * (count - pending.count)), 256 * 1024), into: &text)
            try decode(text)
        }
        let ready = min(count, pending.count)
        buffer.append(contentsOf: pending.prefix(ready))
        pending.removeFirst(ready)
        if !isBase64 { try read(count - ready, into: &buffer) }
    }

    /// Appends what can be read now, at most `count` bytes, and waits only if that is nothing.
    /// - Returns: how many; 0 at the end of the file.
    package mutating func appendAvailable(
        upTo count: Int, to buffer: inout [UInt8]
    ) throws(CryptorError) -> Int {
        let start = buffer.count
        if !hasEnded { try readOnce(count, into: &buffer) }
        return buffer.count - start
    }

    /// Appends the rest of a message of version 0, which is read whole.
    mutating func appendVersion0(to message: inout [UInt8]) throws(CryptorError) {
        let limit = 256 * 1024 * 1024
        try append(limit + 1 - message.count, to: &message)
        guard message.count <= limit else {
            throw FileContext(.readingInput, name).failure(
                "It is larger than 256 MiB, the limit for messages of version 0.",
                code: .messageTooLong)
        }
    }

    /// Reads the rest, and returns its length in bytes.
    mutating func countToEnd() throws(CryptorError) -> Int {
        var chunk: [UInt8] = []
        var count = 0
        repeat {
            chunk.removeAll(keepingCapacity: true)
            try append(MessageChunk.byteCount, to: &chunk)
            count += chunk.count
        } while !chunk.isEmpty
        return count
    }

    /// - Parameter text: the bytes that were read last.
    private mutating func decode(_ text: [UInt8]) throws(CryptorError) {
        do throws(Base64Decoder.Failure) {
            try decoder?.decode(text, into: &pending)
            if hasEnded { try decoder?.finish(into: &pending) }
        } catch {
            var happened = """
                but byte \(error.offset) is not base64. Part of it may be lost or \
                altered: fetch it again.
                """
            if let count = error.characterCountOfMessage {
                happened = """
                    but such text never has \(count) characters: some are missing, probably at its \
                    end. Fetch it again.
                    """
            }
            throw CryptorError(
                .looksBase64Encoded, "The input begins like base64 text, \(happened)"
            ).naming(name)
        }
    }

    /// Appends the next `count` bytes of the file to `buffer`, fewer only at its end.
    private mutating func read(_ count: Int, into buffer: inout [UInt8]) throws(CryptorError) {
        let end = buffer.count + count
        while buffer.count < end, !hasEnded {
            // The file may be much shorter than a caller allows.
            try readOnce(min(end - buffer.count, 1024 * 1024), into: &buffer)
        }
    }

    /// Appends what one call reads, at most `count` bytes; nothing at the end of the file.
    private mutating func readOnce(
        _ count: Int, into buffer: inout [UInt8]
    ) throws(CryptorError) {
        var received = 0
        try buffer.appendBytes(capacity: count) { (output) throws(CryptorError) in
            received =
                if let start {
                    try file.read(upTo: count, at: start + bytesRead, into: &output)
                } else {
                    try file.read(upTo: count, into: &output)
                }
        }
        hasEnded = received == 0
        bytesRead += received
        try progress.advance(by: received)
    }

    /// The last bytes of the message where they can tell whether it is one: if it begins with a
    /// zero, and its length is known. See ``MessageHeader/decidingEndByteCount``.
    /// - Parameters:
    ///   - start: the bytes that have been read.
    ///   - isComplete: whether that is all of the message.
    func end(ofMessageFrom start: [UInt8], isComplete: Bool) throws(CryptorError) -> [UInt8] {
        if isComplete { return start }
        guard start.first == 0, let offset = self.start, let messageByteCount else { return [] }
        let count = min(MessageHeader.decidingEndByteCount, messageByteCount)
        return try [UInt8](byteCapacity: count) { (output) throws(CryptorError) in
            _ = try file.read(
                upTo: count, at: offset + messageByteCount - count, into: &output)
        }
    }

    /// The bytes at these offsets of a file whose length is known.
    func bytes(in range: Range<Int>) throws(CryptorError) -> [UInt8] {
        let offset = (start ?? 0) + range.lowerBound
        let bytes = try [UInt8](byteCapacity: range.count) { (output) throws(CryptorError) in
            while output.byteCount < range.count {
                let count = try file.read(
                    upTo: range.count - output.byteCount, at: offset + output.byteCount,
                    into: &output)
                guard count > 0 else {
                    throw file.context.failure("It became shorter while it was read.")
                }
            }
        }
        try progress.advance(by: range.count)
        return bytes
    }

    // MARK: The file itself

    /// The same open file, which stays readable after the caller has closed the descriptor.
    func duplicate() throws(CryptorError) -> FileDescriptor { try file.duplicate() }

    /// The attributes that a file made from this one may take over.
    func attributes() throws(CryptorError) -> FileAttributes { try file.attributes() }

    /// Whether the path still names the file itself, which is a regular one, and nothing was done
    /// to it but reading since it was opened.
    func isUnchanged() throws(CryptorError) -> Bool {
        guard status.kind == .regular, let named = try place?.status() else { return false }
        return named.isUnchanged(since: status)
    }

    /// Makes the file and its name durable.
    func synchronize() throws(CryptorError) {
        try file.synchronize()
        _ = try file.context.call(try place?.synchronize(file.descriptor))
    }

    /// Makes sure that the file can be replaced: that it is a regular one with one name, to which
    /// the path leads without a link as its last component. Then locks it against others who want
    /// to replace it, until this object goes (`flock(2)`).
    mutating func lockForReplacement() throws(CryptorError) {
        let context = file.context.during(.openingInput)
        let named = try place?.status()
        guard status.kind == .regular, named?.kind == .regular else {
            throw context.failure(
                """
                It is a symbolic link or not a regular file, and was not touched. Name the file \
                that the link leads to, or another destination.
                """)
        }
        guard named?.identity == status.identity else { throw context.replacedMeanwhile }
        guard status.linkCount == 1 else {
            throw context.failure(
                """
                It has \(status.linkCount) names (hard links), and was not touched: the old \
                password or keys would still open it under the others. Choose another destination.
                """,
                code: .sameFile)
        }
        do throws(SystemError) { try lock() } catch {
            guard error == .wouldBlock else { throw context.failure(of: error) }
            throw context.failure(
                """
                Another program is replacing or removing it right now, so it was not touched. Try \
                again.
                """,
                because: error)
        }
    }

    /// Locks the file until this object goes (`flock(2)`), where the file system has such locks.
    /// - Throws: `EWOULDBLOCK` if another open file has the lock.
    mutating func lock() throws(SystemError) {
        if !isLocked { isLocked = try file.descriptor.lock() }
    }

    /// Whether this file belongs to somebody who may be trusted with it: see
    /// ``FileStatus/isTrusted(in:)``. A group that shares a directory shares its files.
    func isTrusted() throws(CryptorError) -> Bool {
        guard let directory = try place?.directoryStatus(), directory.mode & 0o002 != 0 else {
            return true
        }
        return status.isTrusted(in: directory)
    }

    /// Removes the source of an output that is complete and synchronised: the very file that was
    /// read, unchanged and with no other name. Whoever removes a source holds the locks of its
    /// output and of itself, so that of two programs that take each the other's output for their
    /// source, one fails.
    /// - Parameter outputFlaw: why the output, which the caller has locked, is no file that others
    ///   can find; nil if it is. Asked once the source is locked.
    mutating func remove(
        unless outputFlaw: () throws(SystemError) -> String?
    ) throws(CryptorError) {
        let reason: String?
        do throws(SystemError) {
            try lock()
            let flaw = try outputFlaw()
            reason = if let flaw { flaw } else { try removeIfUnchanged() }
        } catch {
            reason =
                error == .wouldBlock
                ? "another program is replacing or removing it right now" : "\(error)"
        }
        guard let reason else { return }
        throw file.context.failure(
            "Its output is written. It was not removed: \(reason).", isPublished: true)
    }

    /// - Returns: why it was not removed; nil if it was.
    private func removeIfUnchanged() throws(SystemError) -> String? {
        if place == nil { return "it was given as a file descriptor, so its name is not known" }
        guard let named = try place?.currentStatus() else { return "it was renamed or removed" }
        guard status.kind == .regular, named.isUnchanged(since: status) else {
            return """
                it is a link or not a regular file, or it was replaced or changed meanwhile, so \
                that the output may hold an older state
                """
        }
        guard named.linkCount == 1 else {
            return "it has \(named.linkCount) names (hard links), and would remain under the others"
        }
        try place?.remove()
        return nil
    }
}
