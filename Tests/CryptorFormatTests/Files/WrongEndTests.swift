import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The wrong end of a pipe is an error at once: the system would wait forever for it to become ready.
@Suite(.unlessItHangs) struct WrongEndTests {
    private let folder: TemporaryFolder
    private let keys: Credential

    init() throws {
        folder = try TemporaryFolder()
        keys = .keys(try .random())
        try folder.write([1, 2, 3], to: "plaintext")
        try folder.write(try Cryptor.encrypt([1, 2, 3], with: keys), to: "message")
    }

    /// Calls `body` with an end of a pipe whose other end is open.
    private func withPipe(
        end: Int, _ body: (FileEndpoint) throws(CryptorError) -> Void
    ) throws -> CryptorError? {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in ends { close(end) } }
        do throws(CryptorError) { try body(.descriptor(ends[end])) } catch { return error }
        return nil
    }

    @Test func sources() throws {
        let ways: [(String, (FileEndpoint) throws(CryptorError) -> Void)] = [
            (
                "encryptFile",
                { source throws(CryptorError) in
                    try Cryptor.encryptFile(at: source, to: .path("\(folder.path)/out"), with: keys)
                }
            ),
            (
                "decryptFile",
                { source throws(CryptorError) in
                    try Cryptor.decryptFile(at: source, to: .path("\(folder.path)/out"), with: keys)
                }
            ),
            ("verifyFile", { source throws(CryptorError) in _ = try Cryptor.verifyFile(at: source, with: keys) }),
            ("inspectFile", { source throws(CryptorError) in _ = try Cryptor.inspectFile(at: source) }),
            ("VerifiedFile", { source throws(CryptorError) in _ = try VerifiedFile(at: source, with: keys) }),
        ]
        for (name, body) in ways {
            let error = try withPipe(end: 1, body)
            #expect(error?.code == .inputOutput && error?.systemErrorNumber == EBADF, "\(name): \(error as Any)")
            #expect(error?.fileOperation == .readingInput, "\(name)")
        }
        #expect(try folder.names().sorted() == ["message", "plaintext"])
    }

    @Test func destinations() throws {
        let source = folder.path + "/"
        let ways: [(String, (FileEndpoint) throws(CryptorError) -> Void)] = [
            (
                "encryptFile",
                { destination throws(CryptorError) in
                    try Cryptor.encryptFile(at: .path(source + "plaintext"), to: destination, with: keys)
                }
            ),
            (
                "decryptFile",
                { destination throws(CryptorError) in
                    try Cryptor.decryptFile(at: .path(source + "message"), to: destination, with: keys)
                }
            ),
        ]
        for (name, body) in ways {
            let error = try withPipe(end: 0, body)
            #expect(error?.code == .inputOutput && error?.systemErrorNumber == EBADF, "\(name): \(error as Any)")
            #expect(error?.fileOperation == .writingOutput, "\(name)")
        }
    }
}
