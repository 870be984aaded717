import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Files of every length around block, chunk and segment, by every way to name them.
@Suite struct FileRoundTripTests {
    static let lengths: [Int] = {
        let (chunk, segment) = (MessageChunk.byteCount, SegmentByteCount.forSecondPass)
        let aroundBoth = [chunk, segment].flatMap { [$0 - 1, $0, $0 + 1] }
        return [0, 1, 15, 16, 17] + aroundBoth + [2 * segment + 16, 3 * segment + 5]
    }()

    static func credentials() throws -> [Credential] {
        [try .password("correct horse battery staple"), try FileJob.keys(1)]
    }

    /// The functions on files and those on whole messages read each other's messages.
    private func check(
        _ length: Int, _ credential: Credential,
        encrypt: (TemporaryFolder) throws -> Void, decrypt: (TemporaryFolder) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let plaintext = LongBytes.bytes(length)
        let comment: Comment = "\(length) bytes, \(credential), \(SeededGenerator())"
        try folder.write(plaintext, to: "plaintext")
        try encrypt(folder)
        let message = try folder.read("message")
        let header = try Header(parsing: message)
        #expect(message.count == header.byteCount + 16 * (length / 16 + 1) + 32, comment)
        let opened = try Cryptor.decrypt(message, with: credential)
        #expect(firstDifference(opened, plaintext) == nil, comment)

        try folder.write(try Cryptor.encrypt(plaintext, with: credential), to: "message")
        try decrypt(folder)
        #expect(try firstDifference(folder.read("opened"), plaintext) == nil, comment)
        #expect(try folder.names() == ["message", "opened", "plaintext"], comment)
    }

    @Test(arguments: lengths, Naming.allCases)
    func endpoints(length: Int, naming: Naming) throws {
        try naming.use {
            for credential in try Self.credentials() {
                try check(length, credential) { folder in
                    try Cryptor.encryptFile(
                        at: .path(folder.path("plaintext")), to: .path(folder.path("message")), with: credential)
                } decrypt: { folder in
                    try Cryptor.decryptFile(
                        at: .path(folder.path("message")), to: .path(folder.path("opened")), with: credential)
                }
            }
        }
    }

    @Test(arguments: lengths, Naming.allCases)
    func paths(length: Int, naming: Naming) throws {
        try naming.use {
            let credential = try FileJob.keys(1)
            try check(length, credential) { folder in
                try Cryptor.encryptFile(at: folder.path("plaintext"), to: folder.path("message"), with: credential)
            } decrypt: { folder in
                try Cryptor.decryptFile(at: folder.path("message"), to: folder.path("opened"), with: credential)
            }
        }
    }

    @Test(arguments: lengths, Naming.allCases)
    func urls(length: Int, naming: Naming) throws {
        try naming.use {
            let credential = try FileJob.keys(1)
            try check(length, credential) { folder in
                let url = URL(fileURLWithPath: folder.path)
                try Cryptor.encryptFile(
                    at: url.appendingPathComponent("plaintext"), to: url.appendingPathComponent("message"),
                    with: credential)
            } decrypt: { folder in
                let url = URL(fileURLWithPath: folder.path)
                try Cryptor.decryptFile(
                    at: url.appendingPathComponent("message"), to: url.appendingPathComponent("opened"),
                    with: credential)
            }
        }
    }

    /// Characters that a URL escapes are not escaped in the name of the file.
    @Test(arguments: ["a b", "100%", "a%20b", "a#b?c", "über", "-n", "a\nb", "…"])
    func namesThatURLsEscape(name: String) throws {
        let job = try FileJob(.encrypt)
        let folder = URL(fileURLWithPath: job.folder.path)
        let (message, opened) = (folder.appendingPathComponent(name), folder.appendingPathComponent("\(name).txt"))
        try Cryptor.encryptFile(
            at: URL(fileURLWithPath: job.folder.path("source")), to: message, with: job.credential)
        #expect(try Cryptor.verifyFile(at: message, with: job.credential) == job.plaintext.count)
        try Cryptor.rekeyFile(at: message, to: message, from: job.credential, into: job.newCredential)
        try Cryptor.decryptFile(at: message, to: opened, with: job.newCredential)
        #expect(try firstDifference(job.folder.read("\(name).txt"), job.plaintext) == nil)
        #expect(try job.folder.names() == [name, "\(name).txt", "source"].sorted())
    }

    @Test func relativePathsWithoutAFolder() throws {
        // All tests share the working folder, so this one makes no file there: it checks the name in an error.
        let credential = try FileJob.keys(1)
        let name = "cryptorformat-missing-\(UUID())"
        let error = #expect(throws: CryptorError.self) {
            try Cryptor.encryptFile(at: name, to: "\(name).rnc", with: credential)
        }
        #expect(error?.path == name)
        #expect(!FileManager.default.fileExists(atPath: "\(name).rnc"))
    }
}
