import TestSupport
import Testing

@testable import CryptorFormat

/// Messages that other implementations wrote, of every version.
@Suite(.enabled(if: ExtraVectors.areGiven, "CRYPTORFORMAT_EXTRA_VECTORS names no folder"))
struct InteropTests {
    private let everything = Set(FormatVersion.allCases)

    @Test(arguments: try InteropMessage.all())
    func isRead(_ message: InteropMessage) throws {
        let credential = try message.credential
        let plaintext = try Cryptor.decrypt(message.message, with: credential, accepting: everything)
        #expect(sameBytes(plaintext, message.plaintext), "\(message): \(plaintext.shortHex)")
        for chunking in Chunking.someSizes {
            let reading = try ChunkedDecryption(message.message, with: credential, accepting: everything, chunking)
            #expect(reading.error == nil, "\(message) \(chunking)")
            #expect(sameBytes(reading.plaintext, message.plaintext), "\(message) \(chunking)")
        }
    }

    @Test(arguments: try InteropMessage.all())
    func isReadAsAFile(_ message: InteropMessage) throws {
        let credential = try message.credential
        let folder = try TemporaryFolder()
        try folder.write(message.message, to: "message")
        try Cryptor.decryptFile(
            at: folder.path("message"), to: folder.path("plaintext"), with: credential, accepting: everything)
        #expect(sameBytes(try folder.read("plaintext"), message.plaintext), "\(message)")

        // And as version 3 from then on.
        let keys = Credential.keys(try .random())
        try Cryptor.rekeyFile(
            at: folder.path("message"), to: folder.path("message"), from: credential, into: keys, accepting: everything)
        #expect(sameBytes(try Cryptor.decrypt(folder.read("message"), with: keys), message.plaintext), "\(message)")
    }

    /// Without the option, those that need it are refused, and no others.
    @Test(arguments: try InteropMessage.all())
    func isReadUnderAllBytesOfThePassword(_ message: InteropMessage) throws {
        let credential = try message.secret.credential
        let whole = Result { () throws(CryptorError) in
            try Cryptor.decrypt(message.message, with: credential, accepting: everything)
        }
        let stream = try ChunkedDecryption(message.message, with: credential, accepting: everything, .fixed(49))
        let folder = try TemporaryFolder()
        try folder.write(message.message, to: "message")
        let ofFile = try caughtError {
            try Cryptor.decryptFile(
                at: folder.path("message"), to: folder.path("plaintext"), with: credential, accepting: everything)
        }
        guard message.needsShortenedPassword else {
            #expect(whole == .success(message.plaintext) && stream.error == nil && ofFile == nil, "\(message)")
            return
        }
        #expect(whole == .failure(CryptorError.authenticationFailed), "\(message): \(whole)")
        for error in [stream.error, ofFile] {
            #expect(error?.code == .authenticationFailed && error?.mayNeedShortenedPassword == true, "\(message)")
        }
        #expect(try folder.names() == ["message"], "\(message)")
    }

    /// What they wrote, this library writes with their salts and IV.
    @Test(arguments: try InteropMessage.all().filter { $0.formatVersion == 3 })
    func isWrittenAlike(_ message: InteropMessage) throws {
        let header = try Header(parsing: message.message)
        let written = try Cryptor.encrypt(message.plaintext, with: message.secret.credential, header: header)
        #expect(sameBytes(written, message.message), "\(message): \(written.shortHex)")
    }

    @Test func thereAreSuchMessages() throws {
        let messages = try InteropMessage.all()
        #expect(messages.count >= 52)
        #expect(Set(messages.map(\.peer)).count >= 18)
        #expect(messages.count(where: \.needsShortenedPassword) == 5)
        #expect(Set(messages.map { "\($0.formatVersion) \($0.mode)" }).count == 8, "every version, in both modes")
    }
}
