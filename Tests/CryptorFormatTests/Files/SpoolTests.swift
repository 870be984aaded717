import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A spool keeps a message that can be read only once.
@Suite struct SpoolTests {
    private let progress = ProgressReporter(nil, totalBytes: nil)

    /// A spool is private, has no name, and can be read and written.
    @Test(arguments: Naming.allCases)
    func itHasNoName(naming: Naming) throws {
        try naming.use {
            let spool = try Spool(byteLimit: nil, progress).finish()
            var status = stat()
            try #require(fstat(spool.rawValue, &status) == 0)
            #expect(status.st_nlink == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(fcntl(spool.rawValue, F_GETFL) & O_ACCMODE == O_RDWR)
            #if os(Linux)
            let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(spool.rawValue)")
            let folder = URL(filePath: String(decoding: try FileSystem.temporaryFolder.bytes, as: UTF8.self))
            #expect(path.hasPrefix(folder.resolvingSymlinksInPath().path))
            #endif
        }
    }

    @Test(arguments: [0, 1, 15, 16, 1000])
    func theLimitIsExact(limit: Int) throws {
        for pieces in [[limit], [limit - 1, 1], [0, limit, 0]] where pieces.allSatisfy({ $0 >= 0 }) {
            var spool = try Spool(byteLimit: limit, progress)
            for piece in pieces { try spool.write(LongBytes.bytes(piece), progress) }
            let code = try code { try spool.write([1], progress) }
            #expect(code == .messageTooLong, "\(pieces)")
            let file = spool.finish()
            #expect(try file.status().byteCount == limit, "\(pieces)")
        }
    }

    private func code(_ work: () throws -> Void) throws -> CryptorError.Code? { try caughtError(of: work)?.code }

    /// The functions that read a pipe twice.
    enum Reader: CaseIterable, Sendable {
        case stream, chunks, rekey, verifiedFile

        /// - Returns: what came out, if it is plaintext.
        func run(_ source: FileEndpoint, _ job: FileJob, limit: Int?) throws -> [UInt8]? {
            switch self {
            case .stream:
                let reader = try PipeReader()
                let error = try caughtError {
                    try Cryptor.decryptFile(
                        at: source, to: .descriptor(try #require(reader.writeEnd)), with: job.credential,
                        accepting: Acceptance([.v3, .v2], spoolByteLimit: limit))
                }
                let released = try reader.finish()
                if let error {
                    #expect(released.isEmpty, "\(released.count) bytes came out")
                    throw error
                }
                return released
            case .chunks:
                var plaintext: [UInt8] = []
                let error = try caughtError {
                    try Cryptor.decryptFile(
                        at: source, with: job.credential, accepting: Acceptance([.v3, .v2], spoolByteLimit: limit)
                    ) { plaintext += $0 }
                }
                if let error {
                    #expect(plaintext.isEmpty, "\(plaintext.count) bytes came out")
                    throw error
                }
                return plaintext
            case .rekey:
                try Cryptor.rekeyFile(
                    at: source, to: job.destination, from: job.credential, into: job.newCredential,
                    accepting: Acceptance([.v3, .v2], spoolByteLimit: limit))
                return try Cryptor.decrypt(job.folder.read("destination"), with: job.newCredential)
            case .verifiedFile:
                let file = try VerifiedFile(
                    at: source, with: job.credential, accepting: Acceptance([.v3, .v2], spoolByteLimit: limit))
                return try file.read(0..<file.plaintextByteCount)
            }
        }
    }

    /// All of a message but its tail is kept, and counts for the limit.
    @Test(arguments: Reader.allCases, [0, 1000, 1_300_000])
    func aMessageUpToTheLimit(reader: Reader, byteCount: Int) throws {
        let job = try FileJob(.decrypt, byteCount: byteCount)
        let kept = job.sourceBytes.count - 48
        for limit in [kept, kept + 1, .max, nil] {
            let writer = try PipeWriter(job.sourceBytes)
            let found = try reader.run(.descriptor(try #require(writer.readEnd)), job, limit: limit)
            if let found { #expect(firstDifference(found, job.plaintext) == nil, "limit \(String(describing: limit))") }
            if job.folder.exists("destination") { try job.folder.remove("destination") }
        }
        for limit in [kept - 1, kept / 2, 0] {
            let writer = try PipeWriter(job.sourceBytes)
            let error = try caughtError {
                _ = try reader.run(.descriptor(try #require(writer.readEnd)), job, limit: limit)
            }
            #expect(error?.code == .messageTooLong, "\(limit)")
            let sentence = "it is longer than the limit of \(limit) bytes for that"
            #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
            let folder = try FileName(path: FileSystem.temporaryFolder.bytes).shown
            #expect(error?.description.contains("kept in \(folder) until") == true, "\(String(describing: error))")
            #expect(error?.path == "standard input" || error?.path?.hasPrefix("file descriptor") == true)
            #expect(try job.folder.names() == ["source"])
        }
    }

    /// A file can be read again, so nothing of it is kept.
    @Test(arguments: Reader.allCases)
    func filesHaveNoLimit(reader: Reader) throws {
        let job = try FileJob(.decrypt, byteCount: 100_000)
        let found = try reader.run(job.source, job, limit: 0)
        if let found { #expect(firstDifference(found, job.plaintext) == nil) }
    }

    /// The default limit is half of the free space. It is not exact here, because other tests write there as well.
    @Test func theLimitThatNobodyHasSet() throws {
        let limit = try Spool(byteLimit: nil, progress).byteLimit
        let free = try FileDescriptor.open(FileSystem.temporaryFolder, for: .read).freeByteCount()
        #expect(free / 5 * 2 <= limit && limit <= free / 5 * 3, "\(limit) of \(free) bytes")
    }
}
