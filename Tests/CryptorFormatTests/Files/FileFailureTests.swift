import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A message that is refused leaves nothing behind, and does not change a file that was there before.
@Suite struct FileFailureTests {
    /// What is done to a message before it is read.
    enum Damage: Sendable, CaseIterable {
        case wrongCredential, versionBit, optionsBit, ivBit, firstBlockBit, middleBit, lastBlockBit, firstCodeBit
        case lastCodeBit, lastByteMissing, lastBlockMissing, bytesAppended, blockAppended, headerOnly, empty

        var expected: CryptorError.Code {
            switch self {
            case .versionBit, .optionsBit: .unsupportedVersion
            case .lastByteMissing, .bytesAppended, .headerOnly, .empty: .invalidMessageLength
            default: .authenticationFailed
            }
        }

        func apply(to message: [UInt8]) -> [UInt8] {
            var altered = message
            switch self {
            case .wrongCredential: break
            case .versionBit: altered[0] ^= 4
            case .optionsBit: altered[1] ^= 2
            case .ivBit: altered[17] ^= 1
            case .firstBlockBit: altered[18] ^= 128
            case .middleBit: altered[message.count / 2] ^= 16
            case .lastBlockBit: altered[message.count - 48] ^= 1
            case .firstCodeBit: altered[message.count - 32] ^= 1
            case .lastCodeBit: altered[message.count - 1] ^= 128
            case .lastByteMissing: altered.removeLast()
            case .lastBlockMissing: altered.removeLast(16)
            case .bytesAppended: altered += [0, 0]
            case .blockAppended: altered += [UInt8](repeating: 0, count: 16)
            case .headerOnly: altered = Array(altered.prefix(18))
            case .empty: altered = []
            }
            return altered
        }
    }

    static let lengths = [16, 100, 1_300_000]

    @Test(arguments: Damage.allCases, Way.all.filter { $0.task != .encrypt }) func nothingAppears(
        damage: Damage, way: Way
    ) throws {
        for length in Self.lengths {
            let job = try FileJob(way, byteCount: length)
            try job.folder.write(damage.apply(to: job.sourceBytes), to: "source")
            let credential = damage == .wrongCredential ? try FileJob.keys(77) : job.credential
            let comment: Comment = "\(length) bytes, \(SeededGenerator())"
            let error = try caughtError {
                try job.run(with: credential) { _ in #expect(!job.folder.exists("destination")) }
            }
            #expect(error?.code == damage.expected && error?.path == job.source.description, comment)
            #expect(try job.folder.names() == ["source"], comment)
            let verified = try caughtError { try Cryptor.verifyFile(at: job.source, with: credential) }
            #expect(verified?.code == damage.expected && verified?.path == job.source.description, comment)
            // What was there stays.
            try job.folder.write([1, 2, 3], to: "destination")
            let inode = try job.folder.inode(of: "destination")
            #expect(try caughtError { try job.run(with: credential, overwriting: true) }?.code == damage.expected)
            #expect(try job.folder.names() == ["destination", "source"], comment)
            #expect(try job.folder.read("destination") == [1, 2, 3], comment)
            #expect(try job.folder.inode(of: "destination") == inode, comment)
        }
    }

    @Test(arguments: [FileTask.decrypt, .rekey])
    func theWrongPassword(task: FileTask) throws {
        let job = try FileJob(task)
        let message = try Cryptor.encrypt(job.plaintext, with: try .password("right"))
        try job.folder.write(message, to: "source")
        for (credential, expected) in [
            (try Credential.password("wrong"), CryptorError.Code.authenticationFailed),
            (job.credential, .credentialMismatch),
        ] {
            let error = #expect(throws: CryptorError.self) { try job.run(with: credential) }
            #expect(error?.code == expected)
            #expect(try job.folder.names() == ["source"])
        }
    }

    /// A message that ends early is refused before any key is derived.
    @Test(arguments: [0, 1, 17, 33, 34, 65, 81])
    func truncatedPasswordMessages(count: Int) throws {
        let folder = try TemporaryFolder()
        let credential = try Credential.password("correct horse battery staple")
        try folder.write(Array(try Cryptor.encrypt([], with: credential).prefix(count)), to: "message")
        let derivations = DerivationCounter.count {
            let error = #expect(throws: CryptorError.self) {
                try Cryptor.decryptFile(at: folder.path("message"), to: folder.path("opened"), with: credential)
            }
            #expect(error?.code == .invalidMessageLength)
        }
        #expect(derivations == 0)
        #expect(try folder.names() == ["message"])
    }
}
