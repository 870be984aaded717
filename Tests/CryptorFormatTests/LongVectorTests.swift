import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// Messages of a mebibyte have the expected hash when they are written, and can be read in every way.
@Suite struct LongVectorTests {
    @Test(arguments: try VectorFolder.long())
    func writtenAndRead(_ vector: LongVector) throws {
        #expect(SHA256.digest(of: vector.plaintext) == vector.plaintextSHA256, "\(vector): the test's own plaintext")
        let message = try Cryptor.encrypt(vector.plaintext, with: vector.writtenWith, header: vector.header)
        #expect(message.count == vector.messageByteCount, "\(vector)")
        #expect(SHA256.digest(of: message) == vector.messageSHA256, "\(vector)")

        let credential = try vector.credential
        let read = try Cryptor.decrypt(message, with: credential, accepting: vector.acceptance)
        #expect(sameBytes(read, vector.plaintext), "\(vector)")
        for chunking in [Chunking.fixed(65_536), .fixed(100_003)] {
            let reading = try ChunkedDecryption(message, with: credential, accepting: vector.acceptance, chunking)
            #expect(reading.verifiedPlaintext.map { sameBytes($0, vector.plaintext) } == true, "\(vector) \(chunking)")
        }

        let folder = try TemporaryFolder()
        try folder.write(message, to: "message")
        try Cryptor.decryptFile(
            at: folder.path("message"), to: folder.path("plaintext"), with: credential, accepting: vector.acceptance)
        #expect(sameBytes(try folder.read("plaintext"), vector.plaintext), "\(vector), as a file")
        let count = try Cryptor.verifyFile(at: folder.path("message"), with: credential, accepting: vector.acceptance)
        #expect(count == vector.plaintext.count, "\(vector), verified")
    }
}
