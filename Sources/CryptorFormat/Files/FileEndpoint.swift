import CryptorPrimitives

/// Names what is read or written: a path as a `String`, the `URL` of a file, or a ``FileEndpoint``, which knows all kinds.
public protocol FileLocation {
    /// The file or the stream.
    /// - Throws: `invalidPath` for what names no file.
    var endpoint: FileEndpoint { get throws(CryptorError) }
}

/// Where a message or a plaintext comes from or goes to: a file, or an open file descriptor.
public struct FileEndpoint: Sendable, Hashable, FileLocation {
    fileprivate enum Kind: Hashable {
        case path([UInt8])
        case below(folder: [UInt8], path: [UInt8])
        case descriptor(Int32)
    }

    fileprivate let kind: Kind

    /// The bytes of the path; nil for a descriptor.
    public var pathBytes: [UInt8]? {
        switch kind {
        case .path(let bytes): bytes
        case .below(let folder, let path):
            folder.last == UInt8(ascii: "/") ? folder + path : folder + [UInt8(ascii: "/")] + path
        case .descriptor: nil
        }
    }

    /// The descriptor; nil for a file.
    public var descriptor: Int32? { if case .descriptor(let number) = kind { number } else { nil } }

    /// Itself.
    public var endpoint: FileEndpoint { self }
}

extension String: FileLocation {
    /// The file with this path.
    public var endpoint: FileEndpoint { .path(self) }
}

extension FileLocation where Self == FileEndpoint {
    /// A file, by its path.
    public static func path(_ path: String) -> FileEndpoint { .pathBytes(Array(path.utf8)) }

    /// A file, by the bytes of its path: for names that are no UTF-8.
    public static func pathBytes(_ bytes: [UInt8]) -> FileEndpoint { FileEndpoint(kind: .path(bytes)) }

    /// A file below a folder, for names that come from others, and for folders that others may write to: it is in that folder or
    /// in folders in it, whoever moves or links what meanwhile.
    ///
    /// Using it fails with `inputOutput` and `EXDEV`, as `openat2(2)` has it, if the file or a folder on the way to it is a
    /// symbolic link, and with `invalidPath` if the path begins with a slash or has `..` in it. The path of the folder itself
    /// may have both.
    /// - Parameters:
    ///   - path: from the folder to the file.
    ///   - folder: the path of the folder.
    public static func path(_ path: String, below folder: String) -> FileEndpoint {
        .pathBytes(Array(path.utf8), below: Array(folder.utf8))
    }

    /// The same, by the bytes of the paths.
    public static func pathBytes(_ bytes: [UInt8], below folder: [UInt8]) -> FileEndpoint {
        FileEndpoint(kind: .below(folder: folder, path: bytes))
    }

    /// An open file descriptor, which stays open and stays the caller's. It is written as it is, without a temporary
    /// file: decryption reads the message twice and releases only what was verified. The position of a regular file that
    /// was read is behind what was read of it, afterwards.
    public static func descriptor(_ number: Int32) -> FileEndpoint { FileEndpoint(kind: .descriptor(number)) }

    /// Descriptor 0.
    public static var standardInput: FileEndpoint { .descriptor(0) }

    /// Descriptor 1.
    public static var standardOutput: FileEndpoint { .descriptor(1) }
}

extension FileEndpoint {
    /// A file in the same folder, reached in the same way; nil for a descriptor.
    /// - Parameter name: its name, without a folder.
    public func sibling(named name: [UInt8]) -> FileEndpoint? {
        func replacingName(_ path: [UInt8]) -> [UInt8] {
            path.prefix((path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1) + name
        }
        return switch kind {
        case .path(let bytes): .pathBytes(replacingName(bytes))
        case .below(let folder, let path): .pathBytes(replacingName(path), below: folder)
        case .descriptor: nil
        }
    }

    /// The path as the system takes it; nil for a descriptor.
    func filePath(
        _ operation: CryptorError.FileOperation = .openingInput
    ) throws(CryptorError) -> FilePath? {
        do throws(SystemError) {
            switch kind {
            case .path(let bytes): return try FilePath(bytes)
            case .below(let folder, let path): return try FilePath(path, below: folder)
            case .descriptor: return nil
            }
        } catch {
            throw .invalidPath(operation, name, because: error)
        }
    }

    /// Whether nobody waits who opens and reads it: a regular file, by its path.
    var isQuickSource: Bool { pathBytes != nil && kindOfFile == .regular }

    /// Whether nobody waits who opens it to write: a regular file, by its path, or none yet.
    var isQuickDestination: Bool { pathBytes != nil && (kindOfFile ?? .regular) == .regular }

    private var kindOfFile: FileStatus.Kind? {
        guard let path = try? filePath() else { return nil }
        return (try? FileSystem.status(of: path))?.kind
    }

    /// What errors call it.
    var name: FileName {
        switch kind {
        case .path, .below: FileName(path: pathBytes ?? [])
        case .descriptor(0): FileName(description: "standard input")
        case .descriptor(1): FileName(description: "standard output")
        case .descriptor(let number): FileName(description: "file descriptor \(number)")
        }
    }
}

extension FileEndpoint: CustomStringConvertible {
    /// For people: a name for the descriptor such as "standard input", or the path, as it can stand in a line of text: one with
    /// control characters, for example, is quoted as `$'…'`, which shells read.
    public var description: String { name.shown }
}
