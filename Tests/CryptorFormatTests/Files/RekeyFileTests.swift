import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Rekeying changes the credential and keeps the plaintext. In place, exactly the message that was read is replaced. Other
/// outputs are never the source.
@Suite struct RekeyFileTests {
    /// A descriptor of the source is refused as destination, even for rekeying: the output would destroy the source.
    @Test func descriptorsAreRefused() throws {
        let job = try FileJob(.rekey)
        try job.folder.withDescriptor(of: "source", O_RDWR) { file in
            for source in [job.source, .descriptor(file)] {
                lseek(file, 0, SEEK_SET)
                let error = try caughtError { try job.run(from: source, to: .descriptor(file), overwriting: true) }
                #expect(error?.code == .sameFile && error?.path == "file descriptor \(file)")
            }
        }
        #expect(try job.isSourceUntouched())
    }

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
