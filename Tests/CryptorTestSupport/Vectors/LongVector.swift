import CryptorFiles
import CryptorFormat

/// A message of a mebibyte, given by the rule that makes its plaintext and by hashes.
package struct LongVector: Vector {
    package let name: String
    package let secret: Secret
    package let header: Header
    package let writtenWith: Credential
    /// Whether only a shortened reading of the password opens it.
    package let needsShortenedPassword: Bool
    package let plaintext: [UInt8]
    package let plaintextSHA256: [UInt8]
    package let messageByteCount: Int
    package let messageSHA256: [UInt8]

    package init(_ fields: VectorFields, name: String) throws {
        try fields.check(fields.kind == .longMessage && fields.expect == .success, "not a long message")
        self.name = name
        secret = try Secret(fields)
        guard let header = try fields.header() else { throw VectorError("the header is missing") }
        self.header = header
        writtenWith = try fields.writtenWith()
        needsShortenedPassword = fields.shortenedPassword == true
        let rule = try fields.required(\.plaintextRule)
        try fields.check(rule == "byte i is (7 * i + (i >> 8) + 13 * (i >> 16)) & 255", "another rule: \(rule)")
        plaintext = (0..<(try fields.required(\.plaintextByteCount))).map {
            UInt8(truncatingIfNeeded: 7 * $0 + ($0 >> 8) + 13 * ($0 >> 16))
        }
        plaintextSHA256 = try fields.required(\.plaintextSHA256).bytes
        messageByteCount = try fields.required(\.messageByteCount)
        messageSHA256 = try fields.required(\.messageSHA256).bytes
    }

    /// The credential that opens the message.
    package var credential: Credential {
        get throws { try secret.credential }
    }

    /// Accepts every version, and shortened readings only if the message needs one.
    package var acceptance: Acceptance { .everything.withShortenedPasswords(needsShortenedPassword) }
}
