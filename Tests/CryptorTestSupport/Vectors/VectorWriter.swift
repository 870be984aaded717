import CryptorFormat

/// How a message of a vector is written again.
package enum VectorWriter: Sendable {
    /// As the library writes it.
    case inFull(MessageHeader)
    /// As only tests write it.
    case version0(Version0Writer)

    /// Nil for version 0.
    package var header: MessageHeader? {
        switch self {
        case .inFull(let header): header
        case .version0: nil
        }
    }

    package func message(
        of plaintext: [UInt8], with credential: Credential
    ) throws -> [UInt8] {
        switch self {
        case .inFull(let header):
            try Cryptor.encrypt(plaintext, with: credential, header: header)
        case .version0(let writer): try writer.message(of: plaintext, with: credential)
        }
    }
}
