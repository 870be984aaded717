import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// CBC alone protects nothing: an attacker who knows the text of a payment order can change its payee without any key.
/// The HMAC over header and ciphertext prevents that.
@Suite struct PayeeAttackTests {
    private let keys: KeyPair

    init() throws {
        var generator = SeededGenerator(seed: 4711)
        keys = try generator.keyPair()
    }

    private func order(payTo payee: String) -> [UInt8] {
        Array("Pay \(payee) 1000 EUR for invoice 4711, no later than Friday.".utf8)
    }

    /// The changes that turn one text into the other, both known to the attacker.
    private func difference(_ one: [UInt8], _ other: [UInt8]) -> [(offset: Int, mask: UInt8)] {
        zip(one, other).enumerated().map { ($0.offset, $0.element.0 ^ $0.element.1) }.filter { $0.mask != 0 }
    }

    /// The plaintext that the right key gives if the HMAC is not checked.
    private func bareDecryption(of message: [UInt8], keys: KeyPair) throws -> [UInt8] {
        let header = try Header(parsing: message)
        let ciphertext = Array(message.dropFirst(header.byteCount).dropLast(32))
        let padded = try BareCBC.decrypt(ciphertext, key: keys.encryptionKey, iv: header.iv)
        let padding = Int(try #require(padded.last))
        return Array(padded.dropLast(padding))
    }

    private func expectRefusal(of altered: [UInt8], with credential: Credential) throws {
        let error = #expect(throws: CryptorError.self) { try Cryptor.decrypt(altered, with: credential) }
        #expect(error?.code == .authenticationFailed)
        for chunking in [Chunking.whole, .fixed(1), .fixed(16)] {
            let reading = try ChunkedDecryption(altered, with: credential, chunking)
            #expect(reading.error?.code == .authenticationFailed, "\(chunking)")
            #expect(reading.last.isEmpty, "\(chunking)")
        }
    }

    @Test func anAlteredIVChangesThePayeeOfTheFirstBlock() throws {
        let (honest, forged) = (order(payTo: "Alice"), order(payTo: "Trudy"))
        var message = try Cryptor.encrypt(honest, with: .keys(keys))
        #expect(try bareDecryption(of: message, keys: keys) == honest)

        let ivOffset = 2
        for change in difference(honest, forged) { message[ivOffset + change.offset] ^= change.mask }
        #expect(try bareDecryption(of: message, keys: keys) == forged, "the attack works on CBC alone")
        try expectRefusal(of: message, with: .keys(keys))
        // This is what "unverified" means.
        let reading = try ChunkedDecryption(message, with: .keys(keys), .fixed(16))
        #expect(String(decoding: reading.unverified, as: UTF8.self).hasPrefix("Pay Trudy 1000"))
    }

    @Test func anAlteredIVOfAPasswordMessage() throws {
        let (honest, forged) = (order(payTo: "Alice"), order(payTo: "Trudy"))
        let secret = Secret.password("correct horse battery staple")
        var message = try Cryptor.encrypt(honest, with: secret.credential)
        let keys = try #require(try secret.keys(for: Header(parsing: message)))

        let ivOffset = 2 + 8 + 8
        for change in difference(honest, forged) { message[ivOffset + change.offset] ^= change.mask }
        #expect(try bareDecryption(of: message, keys: keys) == forged, "the attack works on CBC alone")
        try expectRefusal(of: message, with: try secret.credential)
    }

    @Test func anAlteredBlockChangesThePayeeOfTheNext() throws {
        let memo = Array("Memo: ".utf8) + [UInt8](repeating: UInt8(ascii: "."), count: 26)
        let (honest, forged) = (memo + order(payTo: "Alice"), memo + order(payTo: "Trudy"))
        var message = try Cryptor.encrypt(honest, with: .keys(keys))
        let (ciphertextOffset, block) = (18, 16)
        for change in difference(honest, forged) { message[ciphertextOffset + change.offset - block] ^= change.mask }
        let actual = try bareDecryption(of: message, keys: keys)
        #expect(Array(actual[32...]) == Array(forged[32...]), "the attack works on CBC alone")
        #expect(Array(actual[16..<32]) != Array(forged[16..<32]), "at the price of the block before, a mere memo")
        try expectRefusal(of: message, with: .keys(keys))
    }
}
