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
        case descriptor(Int32)
    }

    fileprivate let kind: Kind

    /// The bytes of the path; nil for a descriptor.
    public var pathBytes: [UInt8]? { if case .path(let bytes) = kind { bytes } else { nil } }

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
    /// The path as the system takes it; nil for a descriptor.
    func filePath(
        _ operation: CryptorError.FileOperation = .openingInput
    ) throws(CryptorError) -> FilePath? {
        guard let pathBytes else { return nil }
        do throws(SystemError) { return try FilePath(pathBytes) } catch {
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
        case .path(let bytes): FileName(path: bytes)
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
