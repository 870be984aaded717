import CryptorFormat
import CryptorPrimitives

/// The password or the keys of a case, in the clear.
package enum Secret: Sendable {
    case password(String, iterations: Int = 10_000)
    case keys(encryption: [UInt8], hmac: [UInt8])

    init(_ fields: VectorFields) throws {
        switch try fields.required(\.mode) {
        case .password:
            self = .password(
                try fields.required(\.password), iterations: fields.iterations ?? 10_000)
        case .key:
            self = .keys(
                encryption: try fields.required(\.encryptionKey).bytes,
                hmac: try fields.required(\.hmacKey).bytes)
        }
    }

    package var credential: Credential {
        get throws {
            switch self {
            case .password("", _): .emptyPassword
            case .password(let text, let iterations): try .password(text, iterations: iterations)
            case .keys(let encryption, let hmac):
                .keys(try MessageKeys(encryptionKey: encryption, hmacKey: hmac))
            }
        }
    }

    package var isPassword: Bool {
        switch self {
        case .password: true
        case .keys: false
        }
    }

    package var isEmptyPassword: Bool { if case .password("", _) = self { true } else { false } }

    /// The same to a reader that knows only the format's number of iterations; nil if it is that
    /// number.
    package var underStandardIterations: Secret? {
        guard case .password(let text, let iterations) = self, iterations != 10_000 else {
            return nil
        }
        return .password(text)
    }

    /// The keys of a message with `header`; nil if the header asks for the other kind of
    /// credential.
    package func keys(for header: MessageHeader) throws -> MessageKeys? {
        switch (self, header.salts) {
        case (.keys(let encryption, let hmac), nil):
            return try MessageKeys(encryptionKey: encryption, hmacKey: hmac)
        case (.password, let salts?): return try credential.keys(salts)
        default:
            return nil
        }
    }
}
