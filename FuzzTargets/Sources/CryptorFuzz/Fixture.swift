@testable import CryptorFormat
@testable import CryptorPrimitives

/// The credentials of every target, and messages under them.
enum Fixture {
    static let keys: KeyPair = {
        do {
            return try KeyPair(
                encryptionKey: [UInt8](repeating: 0x11, count: 32), hmacKey: [UInt8](repeating: 0x22, count: 32))
        } catch {
            fail("\(error)")
        }
    }()

    static let credential = Credential.keys(keys)

    /// One reading, and three.
    static let passwords = ["correct horse", "pässwörd 🐎"]

    /// The versions that a byte asks for.
    static func versions(_ choice: UInt8) -> Set<FormatVersion> {
        choice == 0
            ? Set(FormatVersion.allCases) : Set(FormatVersion.allCases.filter { choice >> $0.rawValue & 1 == 1 })
    }

    /// Header and ciphertext of the fuzzer's, and the right trailer: what lies behind the HMAC is reached.
    static func authenticated(_ header: Header, _ ciphertext: [UInt8], keys: KeyPair = keys) throws -> [UInt8] {
        let rules = header.version.rules
        let headerBytes = bytes(of: header)
        var authenticator = try HMACAuthenticator(rules.hash, key: keys.hmacKey)
        if rules.authenticatesHeader { try authenticator.update(headerBytes) }
        try authenticator.update(ciphertext)
        var trailer = try authenticator.finish().withRawSpan { Array(copying: $0) }
        trailer += [UInt8](repeating: 0, count: FormatSize.code - trailer.count)
        return headerBytes + ciphertext + trailer
    }

    /// Written here again: the library's writer is tested, too.
    static func bytes(of header: Header) -> [UInt8] {
        let options: UInt8 = header.usesPassword && header.version != .v0UnauthenticatedHeader ? 1 : 0
        let salts = header.salts.map { $0.encryption + $0.hmac } ?? []
        return [header.version.rawValue, options] + salts + header.iv
    }

    /// So many bytes: what there is, and zeros.
    static func field(_ input: inout FuzzInput, _ count: Int) -> [UInt8] {
        let bytes = input.take(count)
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    static func version(_ choice: UInt8) -> FormatVersion {
        FormatVersion(rawValue: 3 - (choice & 3)) ?? .v3
    }
}
