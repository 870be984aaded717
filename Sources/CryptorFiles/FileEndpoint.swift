import CryptorFormat
package import CryptorSystem

/// Names a source or a destination: a path as a `String`, the `URL` of a file, or a ``FileEndpoint``, which can also
/// name a descriptor or a file below an open folder.
public protocol FileLocation {
    /// The file or the stream.
    /// - Throws: `invalidPath` if this names no file.
    var endpoint: FileEndpoint { get throws(CryptorError) }
}

/// Where a message or a plaintext comes from or goes to: a file, or an open file descriptor.
public struct FileEndpoint: Sendable, Hashable, FileLocation {
    fileprivate enum Kind: Hashable {
        case path([UInt8])
        case below(OpenFolder, path: [UInt8], isName: Bool)
        case descriptor(Int32)
    }

    fileprivate let kind: Kind

    /// The bytes of the path; nil for a descriptor. For a file below an open folder they begin with the path that the
    /// folder was opened by.
    package var pathBytes: [UInt8]? {
        switch kind {
        case .path(let bytes): bytes
        case .below(let folder, let path, _): folder.pathBytes(of: path)
        case .descriptor: nil
        }
    }

    /// The descriptor; nil for a file.
    package var descriptor: Int32? { if case .descriptor(let number) = kind { number } else { nil } }

    /// The endpoint itself.
    public var endpoint: FileEndpoint { self }
}

extension String: FileLocation {
    /// The file with this path.
    public var endpoint: FileEndpoint { .path(self) }
}

extension FileLocation where Self == FileEndpoint {
    /// A file, by its path.
    public static func path(_ path: String) -> FileEndpoint { .pathBytes(Array(path.utf8)) }

    /// A file, by the bytes of its path: for names that are not UTF-8.
    public static func pathBytes(_ bytes: [UInt8]) -> FileEndpoint { FileEndpoint(kind: .path(bytes)) }

    /// A regular file in an open folder, by its name, which may be untrusted.
    ///
    /// Using it fails with `invalidPath` if the name contains a slash, is `.` or `..`, or belongs to a symbolic link, a
    /// FIFO or a device. It fails with `inputOutput` (`EISDIR`) if the name belongs to a folder.
    /// - Parameters:
    ///   - name: a name, not a path.
    ///   - folder: the folder that it is in.
    public static func file(_ name: String, in folder: OpenFolder) -> FileEndpoint {
        FileEndpoint(kind: .below(folder, path: Array(name.utf8), isName: true))
    }

    /// A regular file below an open folder: in the folder itself or in its subfolders.
    ///
    /// Using it fails with `invalidPath` if the path begins with a slash or contains `..`, if the file or a folder on
    /// the way to it is a symbolic link (`EXDEV`, as with `openat2(2)`), or if the file is a FIFO or a device. It fails
    /// with `inputOutput` if the file is a folder. Other paths may lead anywhere below the folder: for an untrusted
    /// name, use ``file(_:in:)``.
    /// - Parameters:
    ///   - path: from the folder to the file.
    ///   - folder: where the path begins.
    public static func path(_ path: String, below folder: OpenFolder) -> FileEndpoint {
        .pathBytes(Array(path.utf8), below: folder)
    }

    /// A regular file below an open folder, by the bytes of its path: see ``path(_:below:)``.
    public static func pathBytes(_ bytes: [UInt8], below folder: OpenFolder) -> FileEndpoint {
        FileEndpoint(kind: .below(folder, path: bytes, isName: false))
    }

    /// An open file descriptor, such as 0 for standard input, which stays open and stays the caller's. Output goes straight to it, without a
    /// temporary file: decryption reads the message twice and releases only what was verified. After a regular file was
    /// read, its position is behind the last byte that was read; a ``VerifiedFile`` does not move it.
    public static func descriptor(_ number: Int32) -> FileEndpoint { FileEndpoint(kind: .descriptor(number)) }

    /// Descriptor 0.
    package static var standardInput: FileEndpoint { .descriptor(0) }

    /// Descriptor 1.
    package static var standardOutput: FileEndpoint { .descriptor(1) }
}

extension FileEndpoint {
    /// The address of the file; nil for a descriptor.
    /// - Parameter ofFolder: whether the address may be one that only a folder can have.
    func address(_ attempt: FileAttempt, ofFolder: Bool = false) throws(CryptorError) -> FileAddress? {
        do throws(SystemError) {
            switch kind {
            case .path(let bytes): return FileAddress(path: try FilePath(bytes), root: nil)
            case .below(let folder, let path, let isName):
                guard !isName || path != [dot] && !path.contains(slash) else { throw .leadsElsewhere }
                return FileAddress(path: try FilePath(below: path, isOfFolder: ofFolder), root: folder)
            case .descriptor: return nil
            }
        } catch {
            let obstacle =
                switch error {
                case .leadsElsewhere: "It would lead out of its folder, by a slash or '..'."
                case .holdsZero: "It contains a zero byte, which no file name does."
                default: throw attempt.error(error)
                }
            throw attempt.failure("\(obstacle) Check where the name comes from.", code: .invalidPath)
        }
    }

    /// The name that errors use.
    var name: FileName {
        switch kind {
        case .path, .below: FileName(path: pathBytes ?? [])
        case .descriptor(0): FileName(description: "standard input")
        case .descriptor(1): FileName(description: "standard output")
        case .descriptor(let number): FileName(description: "file descriptor \(number)")
        }
    }
}

// What can be learned about a file before it is used. Nothing is opened but folders: a FIFO would wait for its writer.
extension FileEndpoint {
    /// The last component of the path; nil for a descriptor, and for a path that can only name a folder.
    package var nameBytes: [UInt8]? { pathBytes.flatMap { Self.name(endOf: $0) } }

    private static func name(endOf path: [UInt8]) -> [UInt8]? {
        let name = path.split(separator: slash, omittingEmptySubsequences: false).last ?? []
        return name.isEmpty || name.contains(0) || [[dot], [dot, dot]].contains(name) ? nil : Array(name)
    }

    /// A file in the same folder, reached in the same way; nil if `name` is not the name of a file, or this is none.
    package func sibling(nameBytes name: [UInt8]) -> FileEndpoint? {
        guard let own = nameBytes, Self.name(endOf: name) == name else { return nil }
        return switch kind {
        case .path(let path): .pathBytes(path.dropLast(own.count) + name)
        case .below(let folder, let path, let isName):
            FileEndpoint(kind: .below(folder, path: path.dropLast(own.count) + name, isName: isName))
        case .descriptor: nil
        }
    }

    /// The status of what is there: below an open folder, that of a link itself; elsewhere, of what it leads to. Nil if
    /// nothing is there.
    package func status() throws(CryptorError) -> FileStatus? {
        let attempt = FileAttempt(.openingInput, name)
        if let descriptor { return try attempt(try FileDescriptor(borrowing: descriptor).status()) }
        guard let address = try address(attempt) else { return nil }
        guard address.root != nil else { return try attempt(try FileSystem.status(of: address.path)) }
        let place = try FilePlace(address, attempt)
        return try attempt(try place.status())
    }

    /// The folder that the file is in or would be created in.
    package func folderStatus() throws(CryptorError) -> FileStatus? {
        let attempt = FileAttempt(.creatingOutput, name)
        guard let place = try FilePlace(self, attempt) else { return nil }
        return try attempt(try place.folder.status())
    }
}

private let slash = UInt8(ascii: "/")
private let dot = UInt8(ascii: ".")

extension FileEndpoint: CustomStringConvertible {
    /// A name to show to people: that of the descriptor, such as "standard input", or the path in a form that fits into
    /// a line of text. A path with control characters, for example, is quoted as `$'…'`, which shells can read.
    public var description: String { name.shown }
}
