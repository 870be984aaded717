import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Rekeying changes the credential and keeps the plaintext. In place, exactly the message that was read is replaced. Other
/// outputs are never the source.
@Suite struct RekeyFileTests {
    @Test(arguments: FileRoundTripTests.lengths, Naming.allCases)
    func fromPasswordToKeysToPassword(length: Int, naming: Naming) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("message")
        let plaintext = LongBytes.bytes(length)
        let chain: [Credential] = [try .password("first"), try FileJob.keys(1), try .password("second")]
        try folder.write(try Cryptor.encrypt(plaintext, with: chain[0]), to: "message")
        for (old, new) in zip(chain, chain.dropFirst()) {
            let before = try folder.read("message")
            try naming.use { try Cryptor.rekeyFile(at: path, to: path, from: old, into: new) }
            let after = try folder.read("message")
            let found = try Cryptor.decrypt(after, with: new)
            #expect(firstDifference(found, plaintext) == nil, "\(length) bytes, \(SeededGenerator())")
            #expect(try caughtError { try Cryptor.verifyFile(at: path, with: old) }?.code == .credentialMismatch)
            #expect(try Header(parsing: after).iv != Header(parsing: before).iv)
        }
        #expect(try folder.names() == ["message"])
    }

    @Test(arguments: Naming.allCases) func theWrongCredentialChangesNothing(naming: Naming) throws {
        let job = try FileJob(Way(task: .rekey, naming: naming), byteCount: 1_300_000)
        let inode = try job.folder.inode(of: "source")
        for (credential, expected) in [
            (try FileJob.keys(77), CryptorError.Code.authenticationFailed), (try .password("x"), .credentialMismatch),
        ] {
            let error = try caughtError { try job.run(to: job.source, with: credential) }
            #expect(error?.code == expected && error?.path == job.source.description)
            #expect(try job.isSourceUntouched())
            #expect(try job.folder.inode(of: "source") == inode)
            #expect(try job.folder.names() == ["source"])
        }
    }

    // MARK: Several names of one file

    enum Alias: CaseIterable, Sendable {
        case path, dottedPath, hardLink, symbolicLink, linkToLink, linkedFolder

        func path(in folder: TemporaryFolder) throws -> String {
            switch self {
            case .path: return folder.path("source")
            case .dottedPath: return folder.path("./source")
            case .hardLink: try folder.link("source", to: "alias")
            case .symbolicLink: try folder.symbolicLink("alias", to: "source")
            case .linkToLink:
                try folder.symbolicLink("first", to: folder.path("source"))
                try folder.symbolicLink("alias", to: "first")
            case .linkedFolder:
                try folder.symbolicLink("folder", to: ".")
                return folder.path("folder/source")
            }
            return folder.path("alias")
        }
    }

    /// A message is replaced only under the address that it was read by. Anything else that leads to the source is
    /// refused as output.
    @Test(arguments: Alias.allCases, Way.all) func otherNamesAreRefused(alias: Alias, way: Way) throws {
        for overwriting in [false, true] {
            let job = try FileJob(way)
            let path = FileEndpoint.path(try alias.path(in: job.folder))
            let names = try job.folder.names()
            for (source, destination) in [(job.source, path), (path, job.source)]
            where way.task != .rekey || source != destination {
                let error = try caughtError { try job.run(from: source, to: destination, overwriting: overwriting) }
                #expect(error?.code == .sameFile && error?.fileOperation == .creatingOutput)
                #expect(error?.path == destination.description && error?.systemErrorNumber == nil)
            }
            #expect(try job.folder.names() == names)
            #expect(try job.isSourceUntouched())
            guard way.task == .rekey else { continue }
            let error = try caughtError { try job.run(from: path, to: path) }
            #expect(try job.folder.names() == names)
            switch alias {
            case .path, .dottedPath, .linkedFolder:
                #expect(error == nil)
                #expect(try job.flaw(in: job.folder.read("source")) == nil, "\(SeededGenerator())")
            case .hardLink: #expect(try error?.code == .sameFile && job.isSourceUntouched())
            case .symbolicLink, .linkToLink:
                #expect(try error?.systemErrorNumber == ELOOP && job.isSourceUntouched())
            }
        }
    }

    /// A descriptor of the source is refused as destination, even for rekeying: the output would destroy the source.
    @Test(arguments: FileTask.allCases) func descriptorsAreRefused(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.withDescriptor(of: "source", O_RDWR) { file in
            var pairs: [(FileEndpoint, FileEndpoint)] = [
                (job.source, .descriptor(file)), (.descriptor(file), .descriptor(file)),
            ]
            if task != .rekey { pairs.append((.descriptor(file), job.source)) }
            for (source, destination) in pairs {
                lseek(file, 0, SEEK_SET)
                let error = try caughtError {
                    try job.run(from: source, to: destination, overwriting: true) {
                        // Work that reads its own output would never end.
                        if $0.bytesDone > 1_000_000 { throw CancellationError() }
                    }
                }
                #expect(error?.code == .sameFile && error?.path == destination.description)
            }
        }
        #expect(try job.isSourceUntouched())
    }

    // MARK: In place

    /// After a failure, the lock is gone, even if a copy of the descriptor is still open, as it would be in a child.
    @Test func theLockIsGivenBack() throws {
        let job = try FileJob(.rekey)
        let inode = try job.folder.inode(of: "source")
        var copies: [CInt] = []
        defer { for copy in copies { close(copy) } }
        let error = try caughtError {
            try job.run(to: job.source) { _ in
                for descriptor: CInt in 3..<256 where copies.isEmpty {
                    var status = stat()
                    guard fstat(descriptor, &status) == 0, UInt64(status.st_ino) == inode else { continue }
                    copies.append(dup(descriptor))
                }
                throw CancellationError()
            }
        }
        #expect(error?.code == .cancelled)
        try #require(copies.count == 1)
        try job.run(to: job.source)
        #expect(try job.flaw(in: job.folder.read("source")) == nil)
    }

    /// A file that was changed, or that has taken the name meanwhile, is not replaced, even with `overwriting`.
    @Test(arguments: ["mode", "link", "time", "another"], Naming.allCases)
    func changedMeanwhile(change: String, naming: Naming) throws {
        for overwriting in [false, true] {
            let job = try FileJob(Way(task: .rekey, naming: naming), byteCount: 1_200_000)
            let newer = Array("a newer file of the same name".utf8)
            let error = try caughtError {
                try job.run(
                    to: job.source, overwriting: overwriting,
                    progress: once {
                        switch change {
                        case "mode": try job.folder.setMode(0o600, of: "source")
                        case "link": try job.folder.link("source", to: "other name")
                        case "time": try job.folder.setTimes(1, 2, of: "source")
                        default:
                            try job.folder.write(newer, to: "newer")
                            try job.folder.rename("newer", to: "source")
                        }
                    })
            }
            #expect(error?.code == .inputOutput && error?.isPublished == false)
            #expect(error?.path == job.source.description)
            #expect(try sameBytes(job.folder.read("source"), change == "another" ? newer : job.sourceBytes))
            #expect(try job.folder.names() == (change == "link" ? ["other name", "source"] : ["source"]))
        }
    }
}
