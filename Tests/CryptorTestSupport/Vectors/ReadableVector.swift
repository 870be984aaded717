import CryptorFiles
import CryptorFormat

/// A message that must be readable, and all that it takes to write it again.
package struct ReadableVector: Vector {
    package let name: String
    package let version: FormatVersion
    package let secret: Secret
    package let message: [UInt8]
    package let plaintext: [UInt8]
    /// Who wrote it, if another implementation did.
    package let peer: String?
    /// The salts and the IV; nil if nobody knows them.
    package let header: Header?
    package let writtenWith: Credential
    /// Whether only a shortened reading of the password opens it.
    package let needsShortenedPassword: Bool

    package init(_ fields: VectorFields, name: String) throws {
        try fields.check(fields.kind == .message && fields.expect == .success, "not a message to be read")
        self.name = name
        peer = fields.peer
        secret = try Secret(fields)
        message = try fields.required(\.message).bytes
        plaintext = try fields.required(\.plaintext).bytes
        guard let version = FormatVersion(rawValue: fields.version) else {
            throw VectorError("version \(fields.version) is unknown")
        }
        self.version = version
        header = try fields.header()
        writtenWith = try fields.writtenWith()
        needsShortenedPassword = fields.shortenedPassword == true
    }

    /// The credential that opens the message.
    package var credential: Credential {
        get throws { try secret.credential }
    }

    /// Accepts every version, and shortened readings only if the message needs one.
    package var acceptance: Acceptance { .everything.withShortenedPasswords(needsShortenedPassword) }
}
