@testable import CryptorFormat
@testable import CryptorPrimitives

/// The credentials of every target, and messages under them.
enum Fixture {
    static let keys = found {
        try MessageKeys(
            encryptionKey: [UInt8](repeating: 0x11, count: 32),
            hmacKey: [UInt8](repeating: 0x22, count: 32))
    }
    static let credential = Credential.keys(keys)
    static let keyed = found { try KeyedCryptor(keys) }

    /// The new credential of messages that are rekeyed. A constant of its own holds the keys,
    /// because LeakSanitizer does not see them in a credential.
    static let otherCredential = Credential.keys(otherKeys)
    private static let otherKeys = found { try MessageKeys.random() }

    /// Deriving keys takes thousands of times as long as using them. For messages with these salts,
    /// the keys are known.
    private static let salts = MessageHeader.Salts(
        encryption: [UInt8](repeating: 0x33, count: FormatVersion.written.saltByteCount),
        hmac: [UInt8](repeating: 0x44, count: FormatVersion.written.saltByteCount))
    private static let passwordCredential = found { try Credential.password("pässwörd 🐎") }
    private static let passwordKeys = found {
        try keys(
            for: MessageHeader(salts: salts, iv: [UInt8](repeating: 0, count: FormatSize.iv)),
            under: passwordCredential)
    }

    /// The keys of the message with this header.
    static func keys(
        for header: MessageHeader, under credential: Credential
    ) throws(CryptorError) -> MessageKeys {
        let bytes = header.bytes
        let start = bytes.rawSpan(bytes.indices)
        return try credential.reading(
            of: start, messageByteCount: nil, end: start, accepting: .all
        ).requests[0].keys()
    }

    private static func found<Value>(_ value: () throws -> Value) -> Value {
        do { return try value() } catch { fail("\(error)") }
    }

    /// A message that is arbitrary, or authentic behind a header of the fuzzer's, and what opens
    /// it, which is keys or, for one byte in eight at most, a password.
    static func message(_ input: consuming FuzzInput) throws -> (
        credential: Credential, bytes: [UInt8]
    ) {
        let choice = input.next()
        let isOfPassword = choice & 0xE0 == 0xE0
        let credential = isOfPassword ? passwordCredential : Self.credential
        let keys = isOfPassword ? passwordKeys : Self.keys
        guard choice & 1 == 1 else { return (credential, input.rest()) }
        let (salts, iv) = (isOfPassword ? salts : nil, input.iv())
        var ciphertext = input.rest()
        // Half of these are plaintexts. The others are arbitrary ciphertext, of which half is in
        // whole blocks.
        let isPlaintext = choice & 8 == 0
        guard let version = FormatVersion(rawValue: 3 - (choice >> 1 & 3)) else {
            if isPlaintext { ciphertext = try Version0Model.crypt(ciphertext, keys, iv: iv) }
            let start = [0, 0] + (salts.map { $0.encryption + $0.hmac } ?? []) + iv
            return (credential, start + ciphertext + (try Version0Model.tag(of: ciphertext, keys)))
        }
        let header = MessageHeader(version: version, salts: salts, iv: iv)
        if isPlaintext {
            return (credential, try Cryptor.encrypt(ciphertext, header: header, keys: keys))
        }
        if choice & 16 == 0 { ciphertext.removeLast(ciphertext.count % FormatSize.block) }
        return (credential, try authenticated(header, ciphertext, keys: keys))
    }

    /// All versions, or those that a byte asks for.
    static func versions(_ choice: UInt8) -> Acceptance {
        Acceptance(
            Set(FormatVersion.allCases.filter { choice == 0 || choice >> $0.rawValue & 1 == 1 }))
    }

    /// Header and ciphertext of the fuzzer's with the right tag, so that the code behind the HMAC
    /// is reached.
    private static func authenticated(
        _ header: MessageHeader, _ ciphertext: [UInt8], keys: MessageKeys
    ) throws
        -> [UInt8]
    {
        let headerBytes = bytes(of: header)
        var authenticator = try HMACAuthenticator(key: keys.hmacKey)
        if header.version.authenticatesHeader { try authenticator.update(headerBytes) }
        try authenticator.update(ciphertext)
        let code = try Array(byteCapacity: FormatVersion.written.hmacByteCount) {
            (output) throws(OpenSSLError) in
            try authenticator.finish(into: &output)
        }
        return headerBytes + ciphertext + code
    }

    /// This does not use the library's writer, because that is under test, too.
    static func bytes(of header: MessageHeader) -> [UInt8] {
        let salts = header.salts.map { $0.encryption + $0.hmac } ?? []
        return [header.version.rawValue, header.usesPassword ? 1 : 0] + salts + header.iv
    }
}
