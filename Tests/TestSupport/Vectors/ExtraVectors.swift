import CryptorFormat
import Foundation

/// Vectors that are not part of the package: those of Wycheproof, and messages that other implementations wrote.
/// `CRYPTORFORMAT_EXTRA_VECTORS` names their folder.
package enum ExtraVectors {
    package static let variable = "CRYPTORFORMAT_EXTRA_VECTORS"
    private static let folder = ProcessInfo.processInfo.environment[variable]

    package static var areGiven: Bool { folder != nil }

    static func data(_ path: String) throws -> Data {
        guard let folder else { throw VectorError("\(variable) is not set") }
        return try Data(contentsOf: URL(filePath: folder).appending(path: path))
    }
}

/// A file of Wycheproof: the cases of all of its groups, each with what its group says of them.
package struct Wycheproof<Group: Decodable & Sendable, Case: Decodable & Sendable>: Sendable {
    package let cases: [(group: Group, case: Case)]

    private struct File: Decodable { let testGroups: [TestGroup] }

    private struct TestGroup: Decodable {
        let group: Group
        let tests: [Case]
        enum CodingKeys: CodingKey { case tests }

        init(from decoder: any Decoder) throws {
            group = try Group(from: decoder)
            tests = try decoder.container(keyedBy: CodingKeys.self).decode([Case].self, forKey: .tests)
        }
    }

    /// - Parameter name: such as "hmac_sha256".
    package init(_ name: String) throws {
        let file = try JSONDecoder().decode(File.self, from: ExtraVectors.data("wycheproof/\(name)_test.json"))
        cases = file.testGroups.flatMap { group in group.tests.map { (group.group, $0) } }
    }
}

/// A message that another implementation wrote.
package struct InteropMessage: Decodable, Sendable, CustomStringConvertible {
    package let peer: String
    package let peerVersion: String?
    package let formatVersion: Int
    package let mode: String
    let password: String?
    let encryptionKey: Hex?
    let hmacKey: Hex?
    private let plaintextHex: Hex
    private let messageHex: Hex

    enum CodingKeys: String, CodingKey {
        case peer, mode, password
        case peerVersion = "peer_version"
        case formatVersion = "format_version"
        case encryptionKey = "encryption_key_hex"
        case hmacKey = "hmac_key_hex"
        case plaintextHex = "plaintext_hex"
        case messageHex = "message_hex"
    }

    package var plaintext: [UInt8] { plaintextHex.bytes }
    package var message: [UInt8] { messageHex.bytes }
    package var description: String { "\(peer), version \(formatVersion), \(mode), \(plaintext.count) bytes" }

    /// Whether only a shortened reading of the password opens it: of version 2 and older, these writers shortened what is not
    /// ASCII. The one in C++ did not.
    package var needsShortenedPassword: Bool {
        let isASCII = password?.utf8.allSatisfy { $0 < 0x80 } ?? true
        return formatVersion < 3 && !isASCII && peer != "cpp"
    }

    /// What opens it.
    package var credential: Credential {
        get throws { try secret.credential(acceptingShortened: needsShortenedPassword) }
    }

    package var secret: Secret {
        get throws {
            if let password { return .password(password) }
            guard let encryptionKey, let hmacKey else { throw VectorError("\(peer): neither password nor keys") }
            return .keys(encryption: encryptionKey.bytes, hmac: hmacKey.bytes)
        }
    }

    /// All of them; none if no folder was given.
    package static func all() throws -> [InteropMessage] {
        guard ExtraVectors.areGiven else { return [] }
        let lines = try ExtraVectors.data("interop/interop.jsonl").split(separator: UInt8(ascii: "\n"))
        return try lines.map { try JSONDecoder().decode(InteropMessage.self, from: $0) }
    }
}
