import CryptorFormat

/// One file of TestVectors, with the fields of its schema.
package struct VectorFields: Decodable, Sendable {
    enum Kind: String, Decodable {
        case kdf, message
        case longMessage = "long message"
    }
    enum Mode: String, Decodable { case password, key }

    let peer: String?
    let kind: Kind
    let version: UInt8

    let password: String?
    let salt: Hex?
    let iterations: Int?
    let key: Hex?

    let mode: Mode?
    let encryptionKey: Hex?
    let hmacKey: Hex?
    let message: Hex?
    let base64: String?
    let expect: String?
    let fault: Fault?
    let plaintext: Hex?
    let encryptionSalt: Hex?
    let hmacSalt: Hex?
    let iv: Hex?

    let passwordBytes: Hex?
    let shortenedPassword: Bool?
    let plaintextByteCount: Int?
    let plaintextRule: String?
    let plaintextSHA256: Hex?
    let messageByteCount: Int?
    let messageSHA256: Hex?

    /// How the message is written; nil if nobody knows its salts and its IV. One published case has
    /// lost its header.
    func writer() throws -> VectorWriter? {
        guard let iv else { return nil }
        let salts =
            try required(\.mode) == .password
            ? MessageHeader.Salts(
                encryption: try required(\.encryptionSalt).bytes,
                hmac: try required(\.hmacSalt).bytes) : nil
        if version == 0 { return .version0(Version0Writer(salts: salts, iv: iv.bytes)) }
        guard let version = FormatVersion(rawValue: version) else {
            throw VectorError("version \(version) is unknown")
        }
        return .inFull(MessageHeader(version: version, salts: salts, iv: iv.bytes))
    }

    /// The credential that the message was written with, which may be only the beginning of the
    /// password.
    func writtenWith() throws -> Credential {
        guard let passwordBytes else { return try Secret(self).credential }
        return try .password(utf8: passwordBytes.bytes, iterations: iterations ?? 10_000)
    }

    /// Returns a field that this kind of case must have.
    func required<Field>(_ path: KeyPath<VectorFields, Field?>) throws(VectorError) -> Field {
        guard let field = self[keyPath: path] else { throw VectorError("\(path) is missing") }
        return field
    }

    /// Refuses a case that does not belong here, such as a refusal in a directory of messages to be
    /// read.
    func check(_ condition: Bool, _ problem: String) throws(VectorError) {
        guard condition else { throw VectorError(problem) }
    }
}

/// A case that contradicts its schema or its directory.
package struct VectorError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A case of TestVectors, of one kind.
package protocol Vector: Sendable, CustomStringConvertible {
    var name: String { get }
    init(_ fields: VectorFields, name: String) throws
}

extension Vector {
    /// The name that tests and failures show.
    package var description: String { name }
}
