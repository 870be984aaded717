import CryptorFormat
import Foundation

/// A message that must be readable, and all that it takes to write it again.
package struct ReadableVector: Vector {
    package let name: String
    package let version: UInt8
    package let secret: Secret
    package let message: [UInt8]
    /// The message as a reader of base64 gets it.
    package let base64: [UInt8]?
    package let plaintext: [UInt8]
    /// Who wrote it, if another implementation did.
    package let peer: String?
    /// How it was written; nil if nobody knows.
    package let writer: VectorWriter?
    package let writtenWith: Credential
    /// Whether only a shortened reading of the password opens it.
    package let needsShortenedPassword: Bool

    package init(_ fields: VectorFields, name: String) throws {
        try fields.check(
            fields.kind == .message && fields.expect == "success", "not a message to be read")
        self.name = name
        peer = fields.peer
        secret = try Secret(fields)
        message = try fields.required(\.message).bytes
        base64 = fields.base64.map { Array($0.utf8) }
        plaintext = try fields.required(\.plaintext).bytes
        version = fields.version
        writer = try fields.writer()
        writtenWith = try fields.writtenWith()
        needsShortenedPassword = fields.shortenedPassword == true
    }
}

/// A message that must be refused for one fault.
package struct RefusedVector: Vector {
    package let name: String
    package let secret: Secret
    package let message: [UInt8]
    package let fault: Fault
    /// For a forgery under a shortened reading of the password, the plaintext that comes out if
    /// such readings are accepted.
    package let forgedPlaintext: [UInt8]?

    package init(_ fields: VectorFields, name: String) throws {
        self.name = name
        secret = try Secret(fields)
        message = try fields.required(\.message).bytes
        fault = try fields.required(\.fault)
        forgedPlaintext =
            fields.shortenedPassword == true ? try fields.required(\.plaintext).bytes : nil
        try fields.check(
            fields.kind == .message && fields.expect != "success", "not a message to be refused")
    }
}

/// A message of a mebibyte, given by the rule that makes its plaintext and by hashes.
package struct LongVector: Vector {
    package let name: String
    package let secret: Secret
    package let writer: VectorWriter
    package let writtenWith: Credential
    package let needsShortenedPassword: Bool
    package let plaintext: [UInt8]
    package let plaintextSHA256: [UInt8]
    package let messageByteCount: Int
    package let messageSHA256: [UInt8]

    package init(_ fields: VectorFields, name: String) throws {
        try fields.check(
            fields.kind == .longMessage && fields.expect == "success", "not a long message")
        self.name = name
        secret = try Secret(fields)
        guard let writer = try fields.writer() else { throw VectorError("the header is missing") }
        self.writer = writer
        writtenWith = try fields.writtenWith()
        needsShortenedPassword = fields.shortenedPassword == true
        let rule = try fields.required(\.plaintextRule)
        try fields.check(
            rule == "byte i is (7 * i + (i >> 8) + 13 * (i >> 16)) & 255", "another rule: \(rule)")
        plaintext = (0..<(try fields.required(\.plaintextByteCount))).map {
            UInt8(truncatingIfNeeded: 7 * $0 + ($0 >> 8) + 13 * ($0 >> 16))
        }
        plaintextSHA256 = try fields.required(\.plaintextSHA256).bytes
        messageByteCount = try fields.required(\.messageByteCount)
        messageSHA256 = try fields.required(\.messageSHA256).bytes
    }
}

/// A password and a salt, and the key that must be derived from them.
package struct DerivationVector: Vector {
    package let name: String
    package let password: String
    package let salt: [UInt8]
    package let iterations: Int
    package let key: [UInt8]

    package init(_ fields: VectorFields, name: String) throws {
        try fields.check(fields.kind == .kdf, "not a key derivation")
        self.name = name
        password = try fields.required(\.password)
        salt = try fields.required(\.salt).bytes
        iterations = try fields.required(\.iterations)
        key = try fields.required(\.key).bytes
    }
}

/// A file of TestVectors/primitives: the cases of one cipher, code or derivation.
package struct PrimitiveVectors<Case: Decodable & Sendable>: Decodable, Sendable {
    package let cases: [Case]

    /// - Parameters:
    ///   - name: the name of the file, such as "hmac-sha256".
    ///   - count: the number of cases that the file must have.
    package static func load(_ name: String, count: Int) throws -> [Case] {
        let file = VectorDirectory.root.appending(path: "primitives/\(name).json")
        let vectors = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        guard vectors.cases.count == count else {
            throw VectorError("\(name): \(vectors.cases.count) cases")
        }
        return vectors.cases
    }
}
