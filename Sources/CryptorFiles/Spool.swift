import CryptorFormat
import CryptorSystem

/// A private file without a name in `$TMPDIR`, or in /tmp, for a message that must be read twice,
/// but can be read only once or is base64 text.
///
/// The file has a limit because the sender decides how long the message is, and nothing of it is
/// authentic yet.
struct Spool: ~Copyable {
    private let file: WorkingFile
    let byteLimit: Int
    private var byteCount = 0

    /// - Parameter byteLimit: nil for half of the free space in the directory, so that others can
    ///   go on working there.
    static func begin(byteLimit: Int?, _ progress: ProgressReporter) throws(CryptorError) -> Spool {
        let path = FileSystem.temporaryDirectory
        let directory = FileName(
            path: path, note: "the directory for a temporary copy of the input; see TMPDIR")
        let context = FileContext(.creatingOutput, directory, progress: progress)
        let opened = try context.call(try DirectoryDescriptor.open(FilePath(path)))
        let descriptor = try TemporaryFile.nameless(
            in: opened, at: path + Array("/".utf8), mode: 0o600, context)
        var file = WorkingFile(descriptor, context)
        let limit = if let byteLimit { byteLimit } else { try file.freeByteCount() / 2 }
        file.context.operation = .writingOutput
        return Spool(file: file, byteLimit: limit)
    }

    private init(file: consuming WorkingFile, byteLimit: Int) {
        self.file = file
        self.byteLimit = byteLimit
    }

    mutating func write(_ bytes: [UInt8]) throws(CryptorError) {
        guard bytes.count <= byteLimit - byteCount else {
            throw CryptorError(
                .messageTooLong,
                """
                The message has to be read twice, so a copy of it is kept until it is verified, \
                but it is longer than the limit of \(byteLimit.counted("byte")) for the copy.
                """,
                advice: """
                    The copy is in \(file.context.name.shown). Raise the limit, set TMPDIR to a \
                    directory with more room, or read the message from a file.
                    """)
        }
        byteCount += bytes.count
        try file.write(bytes)
    }

    /// The file with everything that was written.
    consuming func finish() -> FileDescriptor { file.descriptor }
}
