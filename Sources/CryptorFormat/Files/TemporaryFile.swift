import CryptorPrimitives

/// Files that exist only while they are worked on.
enum TemporaryFile {
    /// For tests: whether files without names are used where the system has them.
    @TaskLocal static var usesAnonymousFiles = true

    /// A file without a name, gone when it is closed; nil where there are no such files.
    static func anonymous(inFolder folder: String, mode: mode_t) -> FileDescriptor? {
        // Without a way to name it later, such a file would be lost.
        guard usesAnonymousFiles, FileSystem.hasDescriptorPaths else { return nil }
        return FileDescriptor.openAnonymous(inFolder: folder, mode: mode)
    }

    /// A new file that only this user can read. Whoever creates it removes it.
    /// - Parameters:
    ///   - path: from `freshPath`.
    ///   - name: of the file that errors should speak of.
    static func create(
        at path: String, for name: String, _ progress: ProgressReporter
    ) throws(CryptorError) -> FileDescriptor {
        try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
            try FileDescriptor.open(path, for: .createNew(mode: 0o600))
        }
    }

    /// A path that nobody uses, whose name says what is there should it be left behind.
    static func freshPath(inFolder folder: String) -> String {
        let number = UInt64.random(in: .min ... .max)
        let digits = String(number, radix: 16)
        return "\(folder)/.rncryptor-unfinished-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
    }

    /// A private file without a name in `$TMPDIR`, or in /tmp, for a message that can be read only once.
    static func spool(_ progress: ProgressReporter) throws(CryptorError) -> FileDescriptor {
        let folder = FileSystem.temporaryFolder
        if let anonymous = anonymous(inFolder: folder, mode: 0o600) { return anonymous }
        let path = freshPath(inFolder: folder)
        let descriptor = try create(at: path, for: folder, progress)
        try progress.retrying(.creatingOutput, path) { () throws(SystemError) in try FileSystem.remove(path) }
        return descriptor
    }
}
