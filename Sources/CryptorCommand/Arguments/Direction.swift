/// Whether files are encrypted or decrypted.
enum Direction {
    case encrypt, decrypt

    /// Whether the output for a file of this name can be beside it: a plaintext does not have the
    /// suffix yet, and a message has it.
    func isInput(_ name: [UInt8], suffix: [UInt8]) -> Bool {
        switch self {
        case .encrypt: !name.hasEnding(suffix)
        case .decrypt: name.hasEnding(suffix)
        }
    }
}
