import CCryptorSystem
import CryptorPrimitives
import CryptorTestSupport
import Testing

@testable import CryptorFiles
@testable import CryptorFormat
@testable import CryptorSystem

/// A message that is refused leaves no file behind and changes none that was there. A stream gets
/// nothing of it, because what is written there is seen at once.
@Suite struct FileFailureTests {
    /// What is done to a message before it is read, and the error.
    typealias Damage = (
        name: String, code: CryptorError.Code, apply: @Sendable (inout [UInt8]) throws -> Void
    )

    private static let damages: [Damage] = [
        ("wrong credential", .authenticationFailed, { _ in }),
        ("version", .unsupportedVersion, { $0[0] ^= 4 }),
        ("options", .unsupportedVersion, { $0[1] ^= 2 }),
        ("IV", .authenticationFailed, { $0[17] ^= 1 }),
        ("first block", .authenticationFailed, { $0[18] ^= 128 }),
        ("middle", .authenticationFailed, { $0[$0.count / 2] ^= 16 }),
        ("last block", .authenticationFailed, { $0[$0.count - 48] ^= 1 }),
        ("start of the tag", .authenticationFailed, { $0[$0.count - 32] ^= 1 }),
        ("end of the tag", .authenticationFailed, { $0[$0.count - 1] ^= 128 }),
        ("a byte less", .invalidMessageLength, { $0.removeLast() }),
        ("a block less", .authenticationFailed, { $0.removeLast(16) }),
        ("bytes more", .invalidMessageLength, { $0 += [0, 0] }),
        ("a block more", .authenticationFailed, { $0 += [UInt8](repeating: 0, count: 16) }),
        ("a header", .invalidMessageLength, { $0 = Array($0.prefix(18)) }),
        ("empty", .invalidMessageLength, { $0 = [] }),
        // Wrong paddings under a right HMAC, as only a faulty program writes them.
        (
            "padding of zeros", .corruptPadding,
            { try endMessage(&$0, with: [UInt8](repeating: 0, count: 16)) }
        ),
        (
            "padding too long", .corruptPadding,
            { try endMessage(&$0, with: [UInt8](repeating: 17, count: 16)) }
        ),
        (
            "uneven padding", .corruptPadding,
            { try endMessage(&$0, with: [UInt8](repeating: 65, count: 14) + [1, 2]) }
        ),
    ]

    /// Makes `block` the last one of the plaintext of a message under `FileJob.keys(1)`, padding
    /// included.
    private static func endMessage(_ message: inout [UInt8], with block: [UInt8]) throws {
        guard case .keys(let keys) = try FileJob.keys(1).primary.secret else { return }
        let plaintext: [UInt8] = try Cryptor.decrypt(message, with: .keys(keys))
        let iv = Array(message[2..<18])
        let whole = Array(plaintext.prefix(plaintext.count / 16 * 16))
        message =
            [3, 0] + iv
            + (try BareCBC.encrypt(whole + block, key: keys.encryptionKey, iv: iv)).dropLast(16)
        message += try BareHMAC.tag(of: message, key: keys.hmacKey)
    }

    /// A job whose source is damaged, and the credential that it is read with.
    private func job(_ damage: Damage, _ way: Way, _ length: Int) throws -> (FileJob, Credential) {
        let job = try FileJob(way, byteCount: length)
        var message = job.sourceBytes
        try damage.apply(&message)
        try job.directory.write(message, to: "source")
        return (job, damage.name == "wrong credential" ? try FileJob.keys(77) : job.credential)
    }

    /// A stream that cannot be written to is found before the message is verified, which is forged.
    @Test func anOutputForReading() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Cryptor.encrypt([1], with: FileJob.keys(2)) as [UInt8], to: "message")
        let file = try FileDescriptor.owning(
            ccryptor_openat(AT_FDCWD, directory.path("message"), O_RDONLY, 0))
        let error = try caughtError {
            try Cryptor.decryptFile(
                at: directory.path("message"), to: .descriptor(file.rawValue), with: FileJob.keys(1)
            )
        }
        #expect(error?.code == .inputOutput, "\(String(describing: error))")
    }

    /// Nothing appears, and a file that was there stays as it was.
    @Test(arguments: damages, Way.all.filter { $0.task != .encrypt }) func noFile(
        damage: Damage, way: Way
    )
        throws
    {
        for length in [16, 1_300_000] {
            let (job, credential) = try job(damage, way, length)
            let comment: Comment = "\(length) bytes, \(SeededGenerator())"
            let error = try caughtError {
                try job.run(with: credential) { _ in #expect(!job.directory.exists("destination")) }
            }
            #expect(error?.code == damage.code && error?.path == job.source.description, comment)
            #expect(try job.directory.names() == ["source"], comment)
            let verified = try caughtError {
                try Cryptor.verifyFile(at: job.source, with: credential)
            }
            #expect(
                verified?.code == damage.code && verified?.path == job.source.description, comment)
            try job.directory.write([1, 2, 3], to: "destination")
            let inode = try job.directory.inode(of: "destination")
            #expect(
                try caughtError { try job.run(with: credential, overwriting: true) }?.code
                    == damage.code)
            #expect(try job.directory.names() == ["destination", "source"], comment)
            #expect(try job.directory.read("destination") == [1, 2, 3], comment)
            #expect(try job.directory.inode(of: "destination") == inode, comment)
        }
    }

    /// Nothing is released from a file, or from a pipe, which is kept until it is verified.
    @Test(arguments: damages, Naming.allCases) func noStream(damage: Damage, naming: Naming) throws
    {
        for (length, fromPipe) in [(16, true), (1_300_000, false), (1_300_000, true)] {
            let (job, credential) = try job(damage, Way(task: .decrypt, naming: naming), length)
            let comment: Comment = "\(length) bytes, from a pipe: \(fromPipe), \(SeededGenerator())"
            let writer = try PipeWriter(fromPipe ? job.directory.read("source") : [])
            let source = try fromPipe ? writer.source : job.source
            let (released, error) = try throughPipe { pipe in
                try naming.use { try Cryptor.decryptFile(at: source, to: pipe, with: credential) }
            }
            #expect(error?.code == damage.code && error?.path == source.description, comment)
            #expect(released.count == 0, comment)
            let chunks = try caughtError {
                try Cryptor.decryptFile(at: job.source, with: credential) {
                    Issue.record("\($0.count) bytes came")
                }
            }
            #expect(chunks?.code == damage.code, comment)
        }
    }

    /// A stream gets nothing if the first pass is cancelled, and complete segments if the second
    /// one is.
    @Test(arguments: [0, 2_500_000, 4_000_000]) func cancelled(limit: Int) throws {
        let job = try FileJob(.decrypt, byteCount: 2_500_000)
        let (released, error) = try throughPipe { pipe in
            try job.run(to: pipe) { if $0.bytesDone > limit { throw CancellationError() } }
        }
        #expect(error?.code == .cancelled)
        #expect(firstDifference(released, job.plaintext.prefix(released.count)) == nil)
        #expect(released.count % MessageChunk.byteCount == 0)
        #expect(released.isEmpty == (limit <= 2_500_000), "\(released.count) bytes after \(limit)")
        var calls = 0
        let receiving = try caughtError {
            try Cryptor.decryptFile(at: job.source, with: job.credential) { _ in
                calls += 1
                throw CancellationError()
            }
        }
        #expect(receiving?.code == .cancelled && calls == 1)
    }

    /// A message that ends early is refused before any key is derived.
    @Test(arguments: [0, 1, 17, 33, 34, 65, 81]) func truncatedPasswordMessages(count: Int) throws {
        let directory = try TemporaryDirectory()
        let credential = try Credential.password("correct horse battery staple")
        try directory.write(
            [3, 1].prefix(count) + [UInt8](repeating: 0, count: max(0, count - 2)), to: "message")
        let derivations = DerivationCounter.count {
            let error = #expect(throws: CryptorError.self) {
                try Cryptor.decryptFile(
                    at: directory.path("message"), to: directory.path("opened"), with: credential)
            }
            #expect(error?.code == .invalidMessageLength)
        }
        #expect(derivations == 0)
        #expect(try directory.names() == ["message"])
    }
}
