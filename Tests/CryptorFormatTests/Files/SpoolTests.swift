import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// A spool keeps a message that can be read only once, up to a limit.
@Suite struct SpoolTests {
    private let progress = ProgressReporter()

    /// A spool is private, has no name, and can be read and written.
    @Test(arguments: Naming.allCases) func itHasNoName(naming: Naming) throws {
        try naming.use {
            let spool = try Spool.begin(byteLimit: nil, progress).finish()
            var status = stat()
            try #require(fstat(spool.rawValue, &status) == 0)
            #expect(status.st_nlink == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(fcntl(spool.rawValue, F_GETFL) & O_ACCMODE == O_RDWR)
            #if os(Linux)
            let path = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(spool.rawValue)")
            let directory = URL(
                filePath: String(decoding: FileSystem.temporaryDirectory, as: UTF8.self))
            #expect(path.hasPrefix(directory.resolvingSymlinksInPath().path))
            #endif
        }
    }

    /// The functions that read a pipe twice.
    enum Reader: CaseIterable, Sendable {
        case stream, chunks, rekey, verifiedFile

        /// - Returns: the plaintext. Nothing of it comes out if there is an error.
        func run(_ source: FileEndpoint, _ job: FileJob, limit: Int?) throws -> [UInt8] {
            let options = FileOptions(spoolByteLimit: limit)
            var plaintext: [UInt8] = []
            var error: CryptorError?
            switch self {
            case .stream:
                (plaintext, error) = try throughPipe {
                    try Cryptor.decryptFile(
                        at: source, to: $0, with: job.credential, options: options)
                }
            case .chunks:
                error = try caughtError {
                    try Cryptor.decryptFile(at: source, with: job.credential, options: options) {
                        plaintext += $0
                    }
                }
            case .rekey:
                try Cryptor.rekeyFile(
                    at: source, to: job.destination, from: job.credential, into: job.newCredential,
                    options: FileOptions(overwriting: true, spoolByteLimit: limit))
                return try Cryptor.decrypt(
                    job.directory.read("destination"), with: job.newCredential)
            case .verifiedFile:
                let file = try VerifiedFile(at: source, with: job.credential, options: options)
                return try file.read(0..<file.plaintextByteCount)
            }
            guard let error else { return plaintext }
            #expect(plaintext.isEmpty, "\(plaintext.count) bytes came out")
            throw error
        }
    }

    /// All of a message but its tail is kept, and counts for the limit. A file can be read again,
    /// so nothing of it is.
    @Test(arguments: Reader.allCases, [0, 1_300_000]) func aMessageUpToTheLimit(
        reader: Reader, byteCount: Int
    )
        throws
    {
        let job = try FileJob(.decrypt, byteCount: byteCount)
        let kept = job.sourceBytes.count - 48
        for limit in [kept, kept + 1, .max, nil] {
            let writer = try PipeWriter(job.sourceBytes)
            let found = try reader.run(writer.source, job, limit: limit)
            #expect(
                firstDifference(found, job.plaintext) == nil, "limit \(String(describing: limit))")
        }
        #expect(try sameBytes(reader.run(job.source, job, limit: 0), job.plaintext))
        if job.directory.exists("destination") { try job.directory.remove("destination") }
        for limit in [kept - 1, kept / 2, 0] {
            let writer = try PipeWriter(job.sourceBytes)
            let error = try caughtError { _ = try reader.run(writer.source, job, limit: limit) }
            #expect(error?.code == .messageTooLong, "\(limit)")
            let directory = FileName(path: FileSystem.temporaryDirectory).shown
            for words in [
                "it is longer than the limit of \(limit) bytes for the copy",
                "The copy is in \(directory) (",
            ] {
                #expect(error?.description.contains(words) == true, "\(String(describing: error))")
            }
            #expect(error?.path?.hasPrefix("file descriptor") == true)
            #expect(try job.directory.names() == ["source"])
        }
    }

    /// The default limit is half of the free space. It is not exact here, because other tests write
    /// there as well.
    @Test func theLimitThatNobodyHasSet() throws {
        let limit = try Spool.begin(byteLimit: nil, progress).byteLimit
        var status = statvfs()
        try #require(
            statvfs(String(decoding: FileSystem.temporaryDirectory, as: UTF8.self), &status) == 0)
        let free = status.f_blocks == 0 ? Int.max : Int(status.f_bavail) * Int(status.f_frsize)
        #expect(free / 5 * 2 <= limit && limit <= free / 5 * 3, "\(limit) of \(free) bytes")
    }
}
