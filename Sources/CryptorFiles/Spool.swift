import CryptorFormat
import CryptorSystem

/// A private file without a name in `$TMPDIR`, or in /tmp, for a message that has to be read twice
/// and can be read only once, or is base64 text.
///
/// The file has a limit because the sender decides how long the message is, and nothing of it is
/// authentic yet.
struct Spool: ~Copyable {
    private let file: FileDescriptor
    /// The file has no name itself.
    private let folder: FileName
    let byteLimit: Int
    private var byteCount = 0

    /// - Parameter byteLimit: nil for half of the free space in the folder, so that others can go
    ///   on working there.
    static func begin(byteLimit: Int?, _ progress: ProgressReporter) throws(CryptorError) -> Spool {
        let path = FileSystem.temporaryFolder
        let folder = FileName(
            path: path, note: "the folder for a temporary copy of the input; see TMPDIR")
        let attempt = FileAttempt(.creatingOutput, folder, progress: progress)
        let opened = try attempt(try Folder.open(FilePath(path)))
        let file = try TemporaryFile.nameless(
            in: opened, at: path + Array("/".utf8), mode: 0o600, attempt)
        let limit =
            if let byteLimit { byteLimit } else { try attempt(try file.freeByteCount()) / 2 }
        return Spool(file: file, folder: folder, byteLimit: limit)
    }

    mutating func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        guard bytes.count <= byteLimit - byteCount else {
            throw CryptorError(
                .messageTooLong,
                "The message has to be read twice, so it is kept in \(folder.shown) until it is verified, and it is longer than "
                    + "the limit of \(byteLimit) bytes for that.",
                advice:
                    "Raise the limit, set TMPDIR to a folder with more room, or read the message from a file."
            )
        }
        byteCount += bytes.count
        try file.write(bytes, FileAttempt(.writingOutput, folder, progress: progress))
    }

    /// The file with everything that was written.
    consuming func finish() -> FileDescriptor { file }
}
