import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFiles
@testable import CryptorFormat

/// Files of version 0, which only the command reads: what is promised of other files holds for
/// them. Their contents, `VectorTests` and `KeyringTests` try.
@Suite(.unlessItHangs) struct Version0FileTests {
    private let directory: TemporaryDirectory
    private let keys: Credential
    private let plaintext = LongBytes.bytes(1_200_000)
    private let message: [UInt8]
    private var source: String { directory.path("source") }

    init() throws {
        directory = try TemporaryDirectory()
        keys = .keys(try .random())
        message = try Version0Writer(iv: Array(1...16)).message(of: plaintext, with: keys)
        try directory.write(message, to: "source")
    }

    /// Decrypts or rekeys the file, or only verifies it.
    private func convert(
        from source: FileEndpoint? = nil, to name: String?, into new: Credential? = nil,
        _ options: FileOptions = FileOptions(), progress: ((FileProgress) throws -> Void)? = nil
    ) throws {
        var options = options
        options.readsVersion0 = true
        let source = source ?? self.source.endpoint
        guard let destination = name.map({ directory.path($0).endpoint }) else {
            let count = try Cryptor.verifyFile(
                at: source, with: keys, options: options, progress: progress)
            #expect(count == plaintext.count)
            return
        }
        guard let new else {
            return try Cryptor.decryptFile(
                at: source, to: destination, with: keys, options: options, progress: progress)
        }
        try Cryptor.rekeyFile(
            at: source, to: destination, from: keys, into: new, options: options,
            progress: progress)
    }

    /// Only the command asks for it.
    @Test func isRefusedOtherwise() throws {
        let (source, keys) = (source, keys)
        let out = directory.path("out")
        let ways: [(String, () throws -> Void)] = [
            ("decrypt", { try Cryptor.decryptFile(at: source, to: out, with: keys) }),
            ("receive", { try Cryptor.decryptFile(at: source, with: keys) { _ in } }),
            ("verify", { try Cryptor.verifyFile(at: source, with: keys) }),
            ("inspect", { _ = try Cryptor.inspectFile(at: source) }),
            ("rekey", { try Cryptor.rekeyFile(at: source, to: out, from: keys, into: keys) }),
            ("rotate", { try Cryptor.rotateFile(at: source, with: keys) }),
            ("open", { _ = try VerifiedFile(at: source, with: keys) }),
        ]
        for (name, work) in ways {
            #expect(try caughtError(of: work)?.code == .versionNotAccepted, "\(name)")
        }
        #expect(try directory.names() == ["source"])
    }

    /// The new credential opens it already, and it is rewritten all the same: only version 3 stays.
    @Test func isNeverDone() throws {
        var options = FileOptions()
        options.readsVersion0 = true
        let endpoint = source.endpoint
        let isRewritten = try Cryptor.rekeyFile(
            at: endpoint, to: endpoint, from: keys, accepting: .default, into: keys,
            options: options, progress: nil
        ) { (_, credentialIndex) in credentialIndex == 0 }
        #expect(isRewritten)
        #expect(try sameBytes(Cryptor.decrypt(directory.read("source"), with: keys), plaintext))
    }

    /// A file that was changed, or that has taken the name meanwhile, is not replaced, even with
    /// `overwriting`.
    @Test(arguments: ["mode", "link", "time", "another"], [false, true])
    func changedMeanwhile(change: String, overwriting: Bool) throws {
        let newer = Array("a newer file of the same name".utf8)
        let error = try caughtError {
            try convert(
                to: "source", into: keys, FileOptions(overwriting: overwriting),
                progress: once {
                    switch change {
                    case "mode": try directory.setMode(0o600, of: "source")
                    case "link": try directory.link("source", to: "other name")
                    case "time": try directory.setTimes(1, 2, of: "source")
                    default:
                        try directory.write(newer, to: "newer")
                        try directory.rename("newer", to: "source")
                    }
                })
        }
        #expect(error?.code == .inputOutput && error?.isPublished == false)
        #expect(error?.path == source)
        #expect(
            try sameBytes(directory.read("source"), change == "another" ? newer : message))
        #expect(
            try directory.names() == (change == "link" ? ["other name", "source"] : ["source"]))
    }

    /// A source is removed only if its output is there, and the source is still the one that was
    /// read.
    @Test(arguments: [false, true]) func removesItsSource(isChanged: Bool) throws {
        let error = try caughtError {
            try convert(
                to: "out", FileOptions(removingSource: true),
                progress: once { if isChanged { try directory.setTimes(1, 2, of: "source") } })
        }
        #expect(error?.code == (isChanged ? .inputOutput : nil))
        #expect(error == nil || error?.isPublished == true)
        #expect(try directory.names() == (isChanged ? ["out", "source"] : ["out"]))
        #expect(try sameBytes(directory.read("out"), plaintext))
    }

    /// Where the output is refused, nothing of a pipe is lost.
    @Test func theOutputComesFirst() throws {
        try directory.write([], to: "there")
        let writer = try PipeWriter(message)
        let refused = try caughtError {
            try convert(from: writer.source.endpoint, to: "there")
        }
        #expect(refused?.code == .destinationExists)
        try convert(from: writer.source.endpoint, to: "new")
        #expect(try sameBytes(directory.read("new"), plaintext))
        #expect(try directory.names() == ["new", "source", "there"])
    }

    /// In rekeying, no plaintext is written, and the same file under two names is refused.
    @Test func rekeys() throws {
        let new = Credential.keys(try .random())
        try convert(to: "new", into: new)
        #expect(try sameBytes(Cryptor.decrypt(directory.read("new"), with: new), plaintext))
        #expect(try sameBytes(directory.read("source"), message))
        try convert(to: "source", into: new)
        #expect(try sameBytes(Cryptor.decrypt(directory.read("source"), with: new), plaintext))
        #expect(try directory.names() == ["new", "source"])
        let same = try caughtError {
            try convert(
                from: "\(directory.path("."))/source".endpoint, to: "source", into: new,
                FileOptions(overwriting: true))
        }
        #expect(same?.code == .sameFile)
    }

    @Test func aCancelledOneLeavesNothing() throws {
        for name in ["out", "source", nil] {
            let error = try caughtError {
                try convert(to: name, into: keys, progress: { _ in throw CancellationError() })
            }
            #expect(error?.code == .cancelled)
            #expect(try directory.names() == ["source"])
        }
        #expect(try sameBytes(directory.read("source"), message))
    }
}
