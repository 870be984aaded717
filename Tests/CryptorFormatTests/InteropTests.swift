import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Messages of every version that other implementations wrote. They are among the vectors, which other tests read in
/// every way. Here they are read as files, and rekeyed to version 3.
@Suite struct InteropTests {
    private static let messages = Result { try VectorFolder.readable().filter { $0.peer != nil } }
    @Test func thereAreSuchMessages() throws {
        let messages = try Self.messages.get()
        #expect(messages.count >= 50)
        #expect(Set(messages.compactMap(\.peer)).count >= 14, "languages")
        #expect(messages.count(where: \.needsShortenedPassword) == 5)
        let kinds = Set(messages.map { "\($0.version) \($0.secret.isPassword)" })
        #expect(kinds.count == 8, "every version, in both modes: \(kinds)")
    }

    @Test(arguments: try messages.get())
    func areReadAsFilesAndMadeVersion3(_ message: ReadableVector) throws {
        let credential = try message.credential
        let folder = try TemporaryFolder()
        try folder.write(message.message, to: "message")
        try Cryptor.decryptFile(
            at: folder.path("message"), to: folder.path("plaintext"), with: credential, accepting: message.acceptance)
        #expect(sameBytes(try folder.read("plaintext"), message.plaintext), "\(message)")

        let keys = Credential.keys(try .random())
        try Cryptor.rekeyFile(
            at: folder.path("message"), to: folder.path("message"), from: credential, into: keys,
            accepting: message.acceptance)
        #expect(sameBytes(try Cryptor.decrypt(folder.read("message"), with: keys), message.plaintext), "\(message)")
    }
}
