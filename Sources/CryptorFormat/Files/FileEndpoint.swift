import CryptorPrimitives

/// Where a message or a plaintext comes from or goes to.
public enum FileEndpoint: Sendable, Hashable {
    /// A file, by its path.
    case path(String)

    /// An open file descriptor, which stays open and stays the caller's. It is written as it is, without a temporary
    /// file: decryption reads the message twice and releases only what was verified.
    case descriptor(Int32)

    /// Descriptor 0.
    public static let standardInput = FileEndpoint.descriptor(0)

    /// Descriptor 1.
    public static let standardOutput = FileEndpoint.descriptor(1)
}

extension FileEndpoint: CustomStringConvertible {
    /// The path, or a name for the descriptor such as "standard input".
    public var description: String {
        switch self {
        case .path(let path): path
        case .descriptor(0): "standard input"
        case .descriptor(1): "standard output"
        case .descriptor(let number): "file descriptor \(number)"
        }
    }
}
