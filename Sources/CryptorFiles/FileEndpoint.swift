import CryptorFormat
package import CryptorSystem

/// The source or the destination of a message or a plaintext: a file, or an open file descriptor.
public struct FileEndpoint: Sendable, FileLocation, CustomStringConvertible {
    /// The directory below which the path begins; nil for the working directory.
    fileprivate(set) var root: Directory?
    /// Nil for a descriptor.
    fileprivate var path: [UInt8]?
    /// Whether the path must be a single name.
    fileprivate var isName = false
    /// The descriptor; nil for a file.
    package fileprivate(set) var descriptor: Int32?

    /// The bytes of the path; nil for a descriptor. For a file below an open directory, they begin
    /// with the path by which the directory was opened.
    public var pathBytes: [UInt8]? { path.map { root?.pathBytes(of: $0) ?? $0 } }

    /// The endpoint itself.
    public var endpoint: FileEndpoint { self }

    /// Whether both are the very same path, in the same opened directory.
    func isSamePath(as other: FileEndpoint) -> Bool {
        path != nil && path == other.path && root === other.root
    }
}

extension String: FileLocation {
    /// The file with this path.
    public var endpoint: FileEndpoint { .pathBytes(Array(utf8)) }
}

extension FileLocation where Self == FileEndpoint {
    /// A file, by the bytes of its path: for names that are not UTF-8.
    public static func pathBytes(_ bytes: [UInt8]) -> FileEndpoint { FileEndpoint(path: bytes) }

    /// A regular file in an open directory, by its name, which may be untrusted. Using it fails
    /// with `invalidPath` if the name contains a slash, or is `.` or `..`, and in the cases that
    /// ``Directory`` lists.
    public static func file(_ name: String, in directory: Directory) -> FileEndpoint {
        FileEndpoint(root: directory, path: Array(name.utf8), isName: true)
    }

    /// A regular file below an open directory: in the directory itself or in its subdirectories.
    /// Using it fails with `invalidPath` if the path begins with a slash or contains `..`, and in
    /// the cases that ``Directory`` lists. Other paths may lead anywhere below the directory: for
    /// an untrusted name, use ``file(_:in:)``.
    public static func path(_ path: String, below directory: Directory) -> FileEndpoint {
        .pathBytes(Array(path.utf8), below: directory)
    }

    /// A regular file below an open directory, by the bytes of its path: see ``path(_:below:)``.
    public static func pathBytes(_ bytes: [UInt8], below directory: Directory) -> FileEndpoint {
        FileEndpoint(root: directory, path: bytes)
    }

    /// An open file descriptor, such as 0 for standard input, which stays open and belongs to the
    /// caller. A regular file is read from its current position, which does not change. Output goes
    /// straight to the descriptor, without a temporary file: decryption reads the message twice and
    /// releases only verified bytes.
    public static func descriptor(_ number: Int32) -> FileEndpoint {
        FileEndpoint(descriptor: number)
    }

    /// Descriptor 0.
    public static var standardInput: FileEndpoint { .descriptor(0) }

    /// Descriptor 1.
    public static var standardOutput: FileEndpoint { .descriptor(1) }
}

extension FileEndpoint {
    /// The path, which begins at the root if there is one; nil for a descriptor.
    func address(_ context: FileContext) throws(CryptorError) -> FilePath? {
        guard let path else { return nil }
        guard !path.contains(0) else {
            throw context.failure(
                """
                It contains a zero byte, which file names cannot have. Check where the name comes \
                from.
                """,
                code: .invalidPath)
        }
        let found = try context.call(try FilePath(path))
        let isWrongName = isName && (path == Array(".".utf8) || path.contains(slash))
        if root != nil, isWrongName || found.componentsBelow == nil {
            throw context.failure(of: .leadsElsewhere)
        }
        return found
    }

    /// Opens a directory by its path: below the root, if there is one, without following links.
    func directory(at path: FilePath) throws(SystemError) -> DirectoryDescriptor {
        guard let root else { return try .open(path) }
        return try root.directory.directory(below: path)
    }

    /// The name that errors use.
    var name: FileName {
        if let pathBytes { return FileName(path: pathBytes) }
        return switch descriptor {
        case 0: FileName(description: "standard input")
        case 1: FileName(description: "standard output")
        default: FileName(description: "file descriptor \(descriptor ?? -1)")
        }
    }

    /// A name to show to people: that of the descriptor, such as "standard input", or the path in a
    /// form that fits into a line of text. A path with control characters, for example, is quoted
    /// as `$'…'`, which shells can read.
    public var description: String { name.shown }

    // MARK: Before a file is used

    // Nothing is opened here but directories: a FIFO would wait for its writer.

    /// Whether the name is that of an unfinished file, which a run is writing or left behind when
    /// it was killed.
    package var isUnfinished: Bool {
        pathBytes?.split(separator: slash).last.map(TemporaryFile.isUnfinished) ?? false
    }

    /// The file whose path differs from this one's by `change`; a descriptor as it is.
    package func changingPath(_ change: ([UInt8]) -> [UInt8]) -> FileEndpoint {
        var changed = self
        changed.path = path.map(change)
        return changed
    }

    /// The status of the file that is there: below an open directory, that of a link itself;
    /// elsewhere, that of the link's target. Nil if nothing is there.
    package func status() throws(CryptorError) -> FileStatus? {
        let context = FileContext(.openingInput, name)
        if let descriptor {
            return try WorkingFile(FileDescriptor(borrowing: descriptor), context).status()
        }
        guard let place = try FilePlace(self, context) else { return nil }
        return try place.status(following: !place.isBelowDirectory)
    }
    // MARK: Contents

    /// Reads the first `count` bytes of a file, fewer only if it is shorter.
    package func firstBytes(
        _ count: Int, progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> [UInt8] {
        var input = try InputFile.open(self, progress: ProgressReporter(progress))
        var bytes: [UInt8] = []
        try input.append(count, to: &bytes)
        return bytes
    }

    /// Opens a file of which any part is read, as often as wanted: a regular file where it is, and
    /// anything else from memory.
    /// - Parameters:
    ///   - limit: how many bytes are held in memory.
    ///   - sentence: what is wrong if there are more.
    package func openForRandomAccess(
        holding limit: Int, orFailWith sentence: String,
        progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> (byteCount: Int, bytes: (Range<Int>) throws(CryptorError) -> [UInt8])
    {
        let input = OpenInput(try InputFile.open(self, progress: ProgressReporter(progress)))
        if let byteCount = input.file.byteCount {
            return (byteCount, { (range) throws(CryptorError) in try input.file.bytes(in: range) })
        }
        var bytes: [UInt8] = []
        try input.file.append(limit + 1, to: &bytes)
        guard bytes.count <= limit else {
            throw FileContext(.readingInput, name).failure(sentence)
        }
        let held = bytes
        return (
            held.count,
            { (range) throws(CryptorError) in
                range == held.indices ? held : Array(held[range])
            }
        )
    }
}

/// An open file that a closure keeps.
private final class OpenInput {
    var file: InputFile

    init(_ file: consuming InputFile) { self.file = file }
}

private let slash = UInt8(ascii: "/")
