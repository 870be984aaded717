import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles
@testable import CryptorFormat

/// Files of every length around block, chunk and segment, by every way to name them, without any
/// option: no base64 text, no old versions, and a source stays and gives only its contents.
@Suite(.unlessItHangs) struct FileRoundTripTests {
    static let lengths: [Int] = {
        let (chunk, segment) = (MessageChunk.byteCount, MessageChunk.byteCount)
        let aroundBoth = [chunk, segment].flatMap { [$0 - 1, $0, $0 + 1] }
        return [0, 1, 15, 16, 17] + aroundBoth + [2 * segment + 16, 3 * segment + 5]
    }()

    /// The functions on files and those on whole messages read each other's messages, through files
    /// and pipes.
    @Test(arguments: lengths, Naming.allCases) func everyLength(length: Int, naming: Naming) throws
    {
        for task in FileTask.allCases {
            let job = try FileJob(Way(task: task, naming: naming), byteCount: length)
            let comment: Comment = "\(task), \(length) bytes, \(SeededGenerator())"
            try job.run()
            #expect(try job.destinationFlaw() == nil, comment)
            let (writer, other) = (try PipeWriter(job.sourceBytes), try PipeWriter(job.sourceBytes))
            try job.run(from: writer.source, overwriting: true)
            #expect(try job.destinationFlaw() == nil, comment)
            let (released, error) = try throughPipe { pipe in
                try job.run(from: other.source, to: pipe)
                let ends = [try #require(other.readEnd), try #require(pipe.descriptor)]
                #expect(ends.allSatisfy { fcntl($0, F_GETFD) >= 0 }, "a descriptor was closed")
            }
            #expect(try error == nil && job.flaw(in: released) == nil, comment)
            #expect(
                try job.isSourceUntouched() && job.directory.names() == ["destination", "source"],
                comment)
            guard task != .encrypt else {
                let message = try job.directory.read("destination")
                #expect(
                    message.count == 18 + 16 * (length / 16 + 1) + 32 && message.first == 3, comment
                )
                continue
            }
            #expect(try Cryptor.verifyFile(at: job.source, with: job.credential) == length, comment)
            guard task == .rekey else { continue }
            try job.run(to: job.source)
            #expect(try job.flaw(in: job.directory.read("source")) == nil, comment)
        }
    }

    @Test(arguments: FileTask.allCases) func theSourceStaysAndGivesItsContentsAlone(task: FileTask)
        throws
    {
        let job = try FileJob(task)
        try job.directory.setMode(0o754, of: "source")
        try job.directory.setTimes(1_000_000_000, 1_000_000_000, of: "source")
        try job.run()
        #expect(try job.isSourceUntouched())
        #expect(try job.destinationFlaw() == nil)
        #expect(try job.directory.mode(of: "destination") == job.directory.modeOfNewFiles())
        #expect(try job.directory.status(of: "destination").st_mtim.tv_sec != 1_000_000_000)
        #expect(try caughtError { try job.run() }?.code == .destinationExists)
    }

    /// What is read only on demand.
    @Test(
        arguments: ["text", "version 1", "version 0"],
        Role.sources.filter { ![.encryptFrom, .inspect].contains($0) })
    func refused(what: String, role: Role) throws {
        let job = try FileJob(.decrypt)
        guard case .keys(let keys) = job.credential.primary.secret else { return }
        let iv = [UInt8](repeating: 7, count: 16)
        let contents: [UInt8] =
            switch what {
            case "text": Array(Cryptor.base64Text(of: job.sourceBytes).utf8)
            case "version 0": try Version0Writer(iv: iv).message(of: job.plaintext, keys: keys)
            default:
                try Cryptor.encrypt(
                    job.plaintext,
                    header: MessageHeader(version: .v1UnauthenticatedHeader, salts: nil, iv: iv),
                    keys: keys)
            }
        try job.directory.write(contents, to: "source")
        let expected = what == "text" ? CryptorError.Code.looksBase64Encoded : .versionNotAccepted
        #expect(try caughtError { try role.run(job, job.source) }?.code == expected)
        #expect(try job.directory.names() == ["source"])
    }
}
