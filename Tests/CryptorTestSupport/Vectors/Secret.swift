import CryptorFormat
import CryptorPrimitives

/// The password or the keys of a case, in the clear.
package enum Secret: Sendable {
    case password(String)
    case keys(encryption: [UInt8], hmac: [UInt8])

    init(_ fields: VectorFields) throws {
        switch try fields.required(\.mode) {
        case .password:
            self = .password(try fields.required(\.password))
        case .key:
            self = .keys(
                encryption: try fields.required(\.encryptionKey).bytes, hmac: try fields.required(\.hmacKey).bytes)
        }
    }

    package var credential: Credential {
        get throws {
            switch self {
            case .password(let text): try .password(text)
            case .keys(let encryption, let hmac): .keys(try KeyPair(encryptionKey: encryption, hmacKey: hmac))
            }
        }
    }

    package var isPassword: Bool {
        switch self {
        case .password: true
        case .keys: false
        }
    }

    /// The keys of a message with `header`; nil if the header asks for the other kind of credential.
    package func keys(for header: Header) throws -> KeyPair? {
        switch (self, header.salts) {
        case (.keys(let encryption, let hmac), nil):
            return try KeyPair(encryptionKey: encryption, hmacKey: hmac)
        case (.password(let text), let salts?):
            let password = withRawSpan(of: text.utf8) { bytes in SecretBytes(copying: bytes) }
            return try KeySource.password(password, iterations: 10_000, salts).keys()
        default:
            return nil
        }
    }
}
