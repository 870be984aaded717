import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// Nothing that prints values shows a byte of a secret.
@Suite struct SecrecyTests {
    /// 32 bytes of text, so that they can be searched for as text, as hex and as numbers.
    private static let secret = "tr0ub4dor&3-correct-horse-batter"

    /// Spellings of any four bytes of the secret.
    private func spellings() -> [String] {
        let bytes = Array(Self.secret.utf8)
        return bytes.indices.dropLast(3).flatMap { start in
            let part = bytes[start..<start + 4]
            return [
                String(decoding: part, as: UTF8.self), part.hex, part.hex.uppercased(),
                part.map(String.init).joined(separator: ", "),
            ]
        }
    }

    /// All that can be read off a value without its API.
    private func texts(of value: some Any) -> [String] {
        var texts = [
            String(describing: value), String(reflecting: value), "\(value)", "\([value])", "\(Optional(value) as Any)",
        ]
        var dumped = ""
        dump(value, to: &dumped)
        dump([value], to: &dumped)
        texts.append(dumped)
        texts += Mirror(reflecting: value).children.map { String(reflecting: $0.value) }
        if let value = value as? any CustomDebugStringConvertible { texts.append(value.debugDescription) }
        return texts
    }

    private func expectNoSecret(in value: some Any, at location: SourceLocation = #_sourceLocation) {
        for text in texts(of: value) {
            for spelling in spellings() {
                #expect(!text.contains(spelling), "\(text)", sourceLocation: location)
            }
        }
    }

    /// The search has to find a secret that is there.
    @Test func aPlainValueIsFound() {
        struct Plain { let text: String, bytes: [UInt8] }
        let shown = texts(of: Plain(text: Self.secret, bytes: Array(Self.secret.utf8))).joined()
        #expect(spellings().filter(shown.contains).count >= 2 * (Self.secret.count - 3))
    }

    @Test func secretBytes() {
        expectNoSecret(in: SecretBytes(Array(Self.secret.utf8)))
    }

    @Test func keyPair() throws {
        let keys = try KeyPair(encryptionKey: Self.secret.utf8, hmacKey: Self.secret.utf8)
        expectNoSecret(in: keys)
        expectNoSecret(in: Credential.keys(keys))
    }

    @Test func password() throws {
        let credential = try Credential.password(Self.secret)
        expectNoSecret(in: credential)
        for text in texts(of: credential) { #expect(!text.contains("\(Self.secret.utf8.count)"), "\(text)") }
    }

    @Test func keyedCryptor() throws {
        let cryptor = try KeyedCryptor(KeyPair(encryptionKey: Self.secret.utf8, hmacKey: Self.secret.utf8))
        _ = try cryptor.decrypt(cryptor.encrypt([1, 2, 3]))
        expectNoSecret(in: cryptor)
    }

    /// A noncopyable value cannot be passed to `dump`, but a class that owns it can.
    private final class Owner {
        var encryptor: Encryptor
        var decryptor: Decryptor

        init(_ credential: Credential) throws {
            encryptor = try Encryptor(credential)
            decryptor = try Decryptor(credential)
        }
    }

    /// A `VerifiedFile` keeps the end of the plaintext, and does not show it.
    @Test func verifiedFile() throws {
        let folder = try TemporaryFolder()
        let keys = Credential.keys(try .random())
        let end = Array("SECRET END".utf8)
        try folder.write(Cryptor.encrypt([UInt8](repeating: 7, count: 32) + end, with: keys), to: "message")
        let file = try VerifiedFile(at: folder.path("message"), with: keys)
        #expect(try file.read(32..<42) == end)
        for text in texts(of: file) {
            #expect(!text.contains("83, 69, 67, 82") && !text.contains("SECRET"), "\(text)")
        }
    }

    @Test func streams() throws {
        let keys = try KeyPair(encryptionKey: Self.secret.utf8, hmacKey: Self.secret.utf8)
        for credential in [Credential.keys(keys), try .password(Self.secret)] {
            let owner = try Owner(credential)
            var message: [UInt8] = []
            try owner.encryptor.update([1, 2, 3], into: &message)
            try owner.decryptor.update(try Cryptor.encrypt([1], with: credential), unverifiedInto: &message)
            expectNoSecret(in: owner)
        }
    }

    @Test func errors() throws {
        let keys = try KeyPair(encryptionKey: Self.secret.utf8, hmacKey: Self.secret.utf8)
        for (credential, other) in [(try Credential.password(Self.secret), Credential.keys(keys))] {
            var message = try Cryptor.encrypt([1, 2, 3], with: credential)
            let mismatch = #expect(throws: CryptorError.self) { try Cryptor.decrypt(message, with: other) }
            expectNoSecret(in: try #require(mismatch))
            message[message.count - 1] ^= 1
            let forged = #expect(throws: CryptorError.self) { try Cryptor.decrypt(message, with: credential) }
            expectNoSecret(in: try #require(forged))
        }
        let short = #expect(throws: CryptorError.self) {
            try KeyPair(encryptionKey: Self.secret.utf8.dropLast(), hmacKey: Self.secret.utf8)
        }
        expectNoSecret(in: try #require(short))
    }
}
