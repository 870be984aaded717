import CryptorPrimitives

/// Files that exist only while they are worked on.
package enum TemporaryFile {
    /// For tests: whether files without names are used where the system has them.
    @TaskLocal static var usesAnonymousFiles = true

    /// A file without a name, which is gone when it is closed; nil where there are no such files.
    static func anonymous(in folder: borrowing Folder, mode: mode_t) -> FileDescriptor? {
        // Without a way to name it later, such a file would be lost.
        guard usesAnonymousFiles, FileSystem.hasDescriptorPaths else { return nil }
        return folder.openAnonymous(mode: mode)
    }

    /// A file whose name is removed at once, for systems where a file cannot be created without one.
    static func removed(
        in folder: borrowing Folder, mode: mode_t, _ attempt: FileAttempt
    ) throws(CryptorError) -> FileDescriptor {
        let name = try attempt.retrying { () throws(SystemError) in try freshName() }
        let file = try attempt.retrying { () throws(SystemError) -> FileDescriptor in
            try folder.create(name, mode: mode)
        }
        do throws(CryptorError) {
            try attempt.retrying { () throws(SystemError) in try folder.remove(name) }
        } catch {
            do throws(SystemError) { try folder.remove(name) } catch let second {
                guard second == .noSuchFile else { throw error.leaving(FileName(path: name.bytes)) }
            }
            throw error
        }
        return file
    }

    private static let namePrefix = ".rncryptor-unfinished-"

    /// Whether this is the name of an unfinished file, which a run is writing or has left behind when it was killed.
    package static func isUnfinished(nameBytes: some Sequence<UInt8>) -> Bool {
        nameBytes.starts(with: namePrefix.utf8)
    }

    /// A name that no file has, and that explains the file should it be left behind.
    static func freshName() throws(SystemError) -> FilePath {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return try FilePath("\(namePrefix)\(String(repeating: "0", count: 16 - digits.count))\(digits)")
    }
}

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
            throw .inputOutput(.creatingOutput, FileName(description: "TMPDIR"), because: error)
        }
        let folder = FileName(path: path.bytes)
        let copy = folder.noting("the folder for what can be read once only, until it is verified; see TMPDIR")
        let attempt = FileAttempt(.creatingOutput, copy, progress: progress)
        let file = try Self.create(path, attempt)
        self.byteLimit = try attempt.retrying { () throws(SystemError) in
            if let byteLimit { return byteLimit }
            return try file.freeByteCount() / 2
        }
        self.folder = folder
        self.copy = copy
        self.file = file
    }

    private static func create(_ path: FilePath, _ attempt: FileAttempt) throws(CryptorError) -> FileDescriptor {
        let folder = try attempt.retrying { () throws(SystemError) -> Folder in
            try Folder.open(path)
        }
        if let anonymous = TemporaryFile.anonymous(in: folder, mode: 0o600) { return anonymous }
        return try TemporaryFile.removed(in: folder, mode: 0o600, attempt)
    }

    mutating func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        guard bytes.count <= byteLimit - byteCount else {
            throw .messageTooLong(spooling: byteLimit, in: folder)
        }
        byteCount += bytes.count
        try file.write(bytes, as: copy, progress)
    }

    /// The file with everything that was written.
    consuming func finish() -> FileDescriptor { file }
}
