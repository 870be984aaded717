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

    /// The new credential of messages that are rekeyed. A constant of its own holds the keys, because LeakSanitizer
    /// does not see them in a credential.
    static let otherCredential = Credential.keys(otherKeys)

    private static let otherKeys: KeyPair = {
        do {
            return try .random()
        } catch {
            fail("\(error)")
        }
    }()

    /// A password with one reading, and one with three.
    static let passwords = ["correct horse", "pässwörd 🐎"]

    /// Deriving keys takes thousands of times as long as using them. For messages with these salts, the keys are known.
    static let salts = Header.Salts(
        encryption: [UInt8](repeating: 0x33, count: FormatSize.salt),
        hmac: [UInt8](repeating: 0x44, count: FormatSize.salt))

    /// Each of the passwords, with the keys of messages with these salts.
    static let passwordCredentials: [(credential: Credential, keys: KeyPair)] = passwords.map { password in
        do {
            return (try .password(password), try keys(utf8: Array(password.utf8)))
        } catch {
            fail("\(error)")
        }
    }

    /// The keys that some writers of version 2 and older derived from the password that is not ASCII.
    private static let shortenedKeys: KeyPair = {
        do {
            return try keys(utf8: Array(passwords[1].utf8.prefix(passwords[1].utf16.count)))
        } catch {
            fail("\(error)")
        }
    }()

    private static func keys(utf8 password: [UInt8]) throws -> KeyPair {
        try KeyDerivation.keys(password: SecretBytes(copying: password.span.bytes), salts: salts)
    }

    /// A message that is arbitrary, or authentic behind a header of the fuzzer's; what opens it, which is keys or, for
    /// one byte in eight at most, a password; and whether it was written under a shortened reading of that password,
    /// which happens for one IV in 16 only, because more keys are derived then.
    static func message(
        _ input: consuming FuzzInput
    ) throws -> (credential: Credential, bytes: [UInt8], isShortened: Bool) {
        let choice = input.next()
        let isOfPassword = choice & 0xE0 == 0xE0
        let (credential, keys) =
            isOfPassword ? passwordCredentials[Int(choice >> 4) & 1] : (Self.credential, Self.keys)
        guard choice & 1 == 1 else { return (credential, input.rest(), false) }
        let version = version(choice >> 1)
        let header = Header(
            version: version, salts: isOfPassword ? salts : nil, iv: field(&input, FormatSize.iv))
        var ciphertext = input.rest()
        if choice & 0xF0 == 0xF0, version != .v3, header.iv[0] & 15 == 15 {
            return (
                credential, try Cryptor.encrypt(ciphertext, header: header, keys: shortenedKeys),
                true
            )
        }
        // Half of these have right padding. The others are arbitrary ciphertext in whole blocks.
        if choice & 8 == 0 {
            return (
                credential, try Cryptor.encrypt(ciphertext, header: header, keys: keys), false
            )
        }
        ciphertext.removeLast(ciphertext.count % version.rules.blockByteCount)
        return (credential, try authenticated(header, ciphertext, keys: keys), false)
    }

    /// All versions, or those that a byte asks for.
    static func versions(_ choice: UInt8) -> Acceptance {
        Acceptance(Set(FormatVersion.allCases.filter { choice == 0 || choice >> $0.rawValue & 1 == 1 }))
    }

    /// Header and ciphertext of the fuzzer's with the right tag, so that the code behind the HMAC is reached.
    static func authenticated(_ header: Header, _ ciphertext: [UInt8], keys: KeyPair = keys) throws -> [UInt8] {
        let rules = header.version.rules
        let headerBytes = bytes(of: header)
        var authenticator = try HMACAuthenticator(rules.hash, key: keys.hmacKey)
        if rules.authenticatesHeader { try authenticator.update(headerBytes) }
        try authenticator.update(ciphertext)
        let code = try Array(byteCapacity: FormatSize.tag) { (output) throws(OpenSSLError) in
            try authenticator.finish(into: &output)
        }
        return headerBytes + ciphertext + code + [UInt8](repeating: 0, count: FormatSize.tag - code.count)
    }

    /// This does not use the library's writer, because that is under test, too.
    static func bytes(of header: Header) -> [UInt8] {
        let options: UInt8 = header.usesPassword && header.version != .v0UnauthenticatedHeader ? 1 : 0
        let salts = header.salts.map { $0.encryption + $0.hmac } ?? []
        return [header.version.rawValue, options] + salts + header.iv
    }

    /// The next `count` bytes, with zeros for those that are missing.
    static func field(_ input: inout FuzzInput, _ count: Int) -> [UInt8] {
        let bytes = input.take(count)
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    static func version(_ choice: UInt8) -> FormatVersion {
        FormatVersion(rawValue: 3 - (choice & 3)) ?? .v3
    }
}
