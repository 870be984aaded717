import CryptorFormat
import CryptorSystem

/// Files that exist only while they are worked on.
enum TemporaryFile {
    private static let namePrefix = ".rncryptor-unfinished-"

    /// Whether this is the name of an unfinished file.
    static func isUnfinished(nameBytes: some Sequence<UInt8>) -> Bool {
        nameBytes.starts(with: namePrefix.utf8)
    }

    /// A name that no file has, and that explains the file should it be left behind.
    static func freshName() throws(SystemError) -> FilePath {
        try FilePath("\(namePrefix)\(UInt64.random(in: .min ... .max))".utf8)
    }

    /// A file without a name or, where a file cannot be created without one, with a name that is
    /// removed at once.
    /// - Parameter path: the text before the name in an error, if the file stays.
    static func nameless(
        in directory: borrowing DirectoryDescriptor, at path: [UInt8], mode: FileMode,
        _ context: FileContext
    ) throws(CryptorError) -> FileDescriptor {
        if let file = directory.openAnonymous(mode: mode) { return file }
        let name = try context.call(try freshName())
        let file = try context.call(try directory.create(name, mode: mode))
        do throws(SystemError) { try directory.remove(name) } catch {
            var failure = context.failure(of: error)
            failure.leftBehind = FileName(path: path + name.bytes)
            throw failure
        }
        return file
    }
}
