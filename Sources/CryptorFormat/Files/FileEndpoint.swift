import CryptorPrimitives

/// Where a message or a plaintext comes from or goes to.
public enum FileEndpoint: Sendable, Hashable {
    /// A file, by its path.
    case path(String)

    /// A file, by the bytes of its path: for names that are no UTF-8.
    case pathBytes([UInt8])

    /// An open file descriptor, which stays open and stays the caller's. It is written as it is, without a temporary
    /// file: decryption reads the message twice and releases only what was verified. The position of a regular file that
    /// was read is behind what was read of it, afterwards.
    case descriptor(Int32)

    /// Descriptor 0.
    public static let standardInput = FileEndpoint.descriptor(0)

    /// Descriptor 1.
    public static let standardOutput = FileEndpoint.descriptor(1)
}

extension FileEndpoint {
    /// The path as the system takes it; nil for a descriptor.
    func filePath(
        _ operation: CryptorError.FileOperation = .openingInput
    ) throws(CryptorError) -> FilePath? {
        do throws(SystemError) {
            switch self {
            case .path(let path): return try FilePath(path)
            case .pathBytes(let bytes): return try FilePath(bytes)
            case .descriptor: return nil
            }
        } catch {
            throw .invalidPath(operation, name, error)
        }
    }

    /// What errors call it.
    var name: FileName {
        switch self {
        case .path(let path): FileName(path: path.utf8)
        case .pathBytes(let bytes): FileName(path: bytes)
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
