import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// A private file without a name in `$TMPDIR`, or in /tmp, for a message that can be read only once.
///
/// The file has a limit because the sender decides how long the message is, and nothing of it is authentic yet.
struct Spool: ~Copyable {
    private let file: FileDescriptor
    private let folder: FileName
    /// The name that errors use for the file, which has none itself.
    private let copy: FileName
    let byteLimit: Int
    private var byteCount = 0

    /// - Parameter byteLimit: nil for half of the free space in the folder, so that others can go on working there.
    init(byteLimit: Int?, _ progress: ProgressReporter) throws(CryptorError) {
        let path: FilePath
        do throws(SystemError) { path = try FileSystem.temporaryFolder } catch {
            throw FileAttempt(.creatingOutput, FileName(description: "TMPDIR")).error(error)
        }
        let folder = FileName(path: path.bytes)
        let copy = folder.noting("the folder for a temporary copy of the input; see TMPDIR")
        let attempt = FileAttempt(.creatingOutput, copy, progress: progress)
        let file = try Self.create(path, attempt)
        self.byteLimit = if let byteLimit { byteLimit } else { try attempt(try file.freeByteCount()) / 2 }
        self.folder = folder
        self.copy = copy
        self.file = file
    }

    private static func create(_ path: FilePath, _ attempt: FileAttempt) throws(CryptorError) -> FileDescriptor {
        let folder = try attempt(try Folder.open(path))
        if let anonymous = folder.openAnonymous(mode: 0o600) { return anonymous }
        return try TemporaryFile.removed(in: folder, mode: 0o600, attempt)
    }

    mutating func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        guard bytes.count <= byteLimit - byteCount else {
            throw CryptorError(
                .messageTooLong,
                "The input can be read only once, so it is kept in \(folder.shown) until it is verified, and it is longer than "
                    + "the limit of \(byteLimit) bytes for that.",
                advice: "Raise the limit, set TMPDIR to a folder with more room, or read the message from a file.")
        }
        byteCount += bytes.count
        try file.write(bytes, FileAttempt(.writingOutput, copy, progress: progress))
    }

    /// The file with everything that was written.
    consuming func finish() -> FileDescriptor { file }
}
