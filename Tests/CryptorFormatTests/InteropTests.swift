import CryptorFormat
import TestSupport
import Testing

/// Messages that other implementations wrote.
@Suite(.enabled(if: ExtraVectors.areGiven, "CRYPTORFORMAT_EXTRA_VECTORS names no folder"))
struct InteropTests {
    @Test(arguments: try InteropMessage.all(ofVersion: 3))
    func isRead(_ message: InteropMessage) throws {
        let credential = try message.secret.credential
        let plaintext = try Cryptor.decrypt(message.message, with: credential)
        #expect(sameBytes(plaintext, message.plaintext), "\(message): \(plaintext.shortHex)")
        for chunking in Chunking.someSizes {
            let reading = try ChunkedDecryption(message.message, with: credential, chunking)
            #expect(reading.error == nil, "\(message) \(chunking)")
            #expect(sameBytes(reading.plaintext, message.plaintext), "\(message) \(chunking)")
        }
    }

    /// What they wrote, this library writes with their salts and IV.
    @Test(arguments: try InteropMessage.all(ofVersion: 3))
    func isWrittenAlike(_ message: InteropMessage) throws {
        let header = try Header(parsing: message.message)
        let written = try Cryptor.encrypt(message.plaintext, with: message.secret.credential, header: header)
        #expect(sameBytes(written, message.message), "\(message): \(written.shortHex)")
    }

    @Test func thereAreSuchMessages() throws {
        let messages = try InteropMessage.all(ofVersion: 3)
        #expect(messages.count >= 24)
        #expect(Set(messages.map(\.peer)).count >= 12)
        #expect(Set(messages.map(\.mode)) == ["key", "password"])
    }
}
