import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Files of every length around block, chunk and segment, by every way to name them, without any option: no base64 text,
/// no old versions, and a source stays and gives only its contents.
@Suite struct FileRoundTripTests {
    static let lengths: [Int] = {
        let (chunk, segment) = (MessageChunk.byteCount, SegmentByteCount.forSecondPass)
        let aroundBoth = [chunk, segment].flatMap { [$0 - 1, $0, $0 + 1] }
        return [0, 1, 15, 16, 17] + aroundBoth + [2 * segment + 16, 3 * segment + 5]
    }()

    static func credentials() throws -> [Credential] {
        [try .password("correct horse battery staple"), try FileJob.keys(1)]
    }

    /// Every way to name a file.
    enum Interface: CaseIterable, Sendable {
        case string, endpoint, url, pool

        func run(_ task: FileTask, _ folder: TemporaryFolder, _ names: (String, String), _ keys: [Credential])
            async throws
        {
            let (source, destination) = (folder.path(names.0), folder.path(names.1))
            switch self {
            case .string: try runHere(task, source, destination, keys)
            case .endpoint: try runHere(task, FileEndpoint.path(source), FileEndpoint.path(destination), keys)
            case .url: try runHere(task, URL(fileURLWithPath: source), URL(fileURLWithPath: destination), keys)
            case .pool:
                let pool = CryptorPool(threadCount: 1)
                switch task {
                case .encrypt: try await pool.encryptFile(at: source, to: destination, with: keys[0])
                case .decrypt: try await pool.decryptFile(at: source, to: destination, with: keys[0])
                case .rekey: try await pool.rekeyFile(at: source, to: destination, from: keys[0], into: keys[1])
                }
            }
        }

        private func runHere(
            _ task: FileTask, _ source: some FileLocation, _ destination: some FileLocation, _ keys: [Credential]
        ) throws {
            switch task {
            case .encrypt: try Cryptor.encryptFile(at: source, to: destination, with: keys[0])
            case .decrypt: try Cryptor.decryptFile(at: source, to: destination, with: keys[0])
            case .rekey: try Cryptor.rekeyFile(at: source, to: destination, from: keys[0], into: keys[1])
            }
        }

        func verify(_ source: String, _ credential: Credential) async throws -> Int {
            guard self == .pool else { return try verifyHere(source, credential) }
            return try await CryptorPool(threadCount: 1).verifyFile(at: source, with: credential)
        }

        private func verifyHere(_ source: String, _ credential: Credential) throws -> Int {
            switch self {
            case .endpoint: try Cryptor.verifyFile(at: FileEndpoint.path(source), with: credential)
            case .url: try Cryptor.verifyFile(at: URL(fileURLWithPath: source), with: credential)
            case .string, .pool: try Cryptor.verifyFile(at: source, with: credential)
            }
        }
    }

    /// The functions on files and those on whole messages read each other's messages.
    @Test(arguments: lengths, Interface.allCases) func everyLength(length: Int, interface: Interface) async throws {
        for credential in try Self.credentials() {
            let folder = try TemporaryFolder()
            let plaintext = LongBytes.bytes(length)
            let comment: Comment = "\(credential), \(SeededGenerator())"
            try folder.write(plaintext, to: "plaintext")
            try await interface.run(.encrypt, folder, ("plaintext", "message"), [credential])
            let message = try folder.read("message")
            let header = try Header(parsing: message)
            #expect(header.version == .v3 && message.count == header.byteCount + 16 * (length / 16 + 1) + 32, comment)
            let opened = try Cryptor.decrypt(message, with: credential)
            #expect(firstDifference(opened, plaintext) == nil, comment)

            try folder.write(try Cryptor.encrypt(plaintext, with: credential), to: "message")
            #expect(try await interface.verify(folder.path("message"), credential) == length, comment)
            try await interface.run(.decrypt, folder, ("message", "opened"), [credential])
            #expect(try firstDifference(folder.read("opened"), plaintext) == nil, comment)
            #expect(try folder.names() == ["message", "opened", "plaintext"], comment)
        }
    }

    @Test(arguments: FileTask.allCases, Interface.allCases)
    func theSourceStaysAndGivesItsContentsAlone(task: FileTask, interface: Interface) async throws {
        let job = try FileJob(task)
        let before: [FileAttributeKey: Any] = [
            .posixPermissions: 0o754, .modificationDate: Date(timeIntervalSince1970: 1e9),
        ]
        try FileManager.default.setAttributes(before, ofItemAtPath: job.folder.path("source"))
        let keys = [job.credential, job.newCredential]
        try await interface.run(task, job.folder, ("source", "destination"), keys)
        #expect(try job.isSourceUntouched())
        #expect(try job.destinationFlaw() == nil)
        #expect(try job.folder.mode(of: "destination") == job.folder.modeOfNewFiles())
        #expect(try job.folder.status(of: "destination").st_mtim.tv_sec != 1_000_000_000)
        let error = await #expect(throws: CryptorError.self) {
            try await interface.run(task, job.folder, ("source", "destination"), keys)
        }
        #expect(error?.code == .destinationExists)
    }

    /// What is read only on demand.
    @Test(arguments: ["text", "version 1", "version 0"], Interface.allCases)
    func refused(what: String, interface: Interface) async throws {
        let job = try FileJob(.decrypt)
        guard case .keys(let keys) = job.credential.kind else { return }
        let version: FormatVersion = what == "version 1" ? .v1UnauthenticatedHeader : .v0UnauthenticatedHeader
        let header = Header(version: version, salts: nil, iv: [UInt8](repeating: 7, count: 16))
        let old: [UInt8] = try Cryptor.encrypt(job.plaintext, header: header, keys: keys)
        try job.folder.write(what == "text" ? Cryptor.base64Text(of: job.sourceBytes) : old, to: "source")
        for task in [FileTask.decrypt, .rekey, nil] {
            let error = await #expect(throws: CryptorError.self) {
                guard let task else { return _ = try await interface.verify(job.folder.path("source"), job.credential) }
                try await interface.run(
                    task, job.folder, ("source", "destination"), [job.credential, job.newCredential])
            }
            #expect(error?.code == (what == "text" ? .looksBase64Encoded : .versionNotAccepted))
        }
        #expect(try job.folder.names() == ["source"])
    }
}
