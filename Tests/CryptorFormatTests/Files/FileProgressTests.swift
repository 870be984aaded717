import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What the progress handler is told.
@Suite struct FileProgressTests {
    /// Reports are at least this far apart.
    private static let step = 64 * 1024
    private static let length = 2_300_000

    /// - Parameter passes: how often the source is read. The last one may leave out the tail of a message.
    private func check(
        _ calls: [FileProgress], sourceByteCount: Int, totalBytes: Int?, passes: Int, isOfPipe: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(calls.count >= 5, sourceLocation: sourceLocation)
        #expect(calls.allSatisfy { $0.totalBytes == totalBytes }, "\(calls)", sourceLocation: sourceLocation)
        let counts = [0] + calls.map(\.bytesDone)
        let steps = zip(counts, counts.dropFirst()).map { $1 - $0 }
        // The last report comes at the end, however close to the one before it. More reports may come while the work
        // waits for the other end of a pipe.
        let isStep = { (count: Int) in count >= (isOfPipe ? 0 : Self.step) }
        #expect(steps.dropLast().allSatisfy(isStep), "\(counts)", sourceLocation: sourceLocation)
        // No read is longer than a segment.
        let longest = SegmentByteCount.forSecondPass + Self.step
        #expect(steps.allSatisfy { $0 < longest }, "\(counts)", sourceLocation: sourceLocation)
        let end = passes * sourceByteCount
        let last = try #require(calls.last?.bytesDone)
        let isAtEnd = totalBytes == nil ? last <= end && last > end - Self.step - 48 : last == end
        #expect(isAtEnd, "\(last) of \(end)", sourceLocation: sourceLocation)
    }

    private func reports(during work: (@escaping FileProgress.Handler) throws -> Void) throws -> [FileProgress] {
        var calls: [FileProgress] = []
        try withoutActuallyEscaping({ calls.append($0) }) { try work($0) }
        return calls
    }

    /// A report comes with each full step, and not a byte earlier.
    @Test func stepByStep() throws {
        let calls = try reports { handler in
            let reporter = ProgressReporter(handler)
            for _ in 0..<3 {
                try reporter.advance(by: Self.step - 1)
                try reporter.advance(by: 1)
            }
            try reporter.advance(by: 3 * Self.step)
        }
        #expect(calls.map(\.bytesDone) == [1, 2, 3, 6].map { $0 * Self.step })
    }

    /// However small the file is, the last report says that it is done. Whoever cancels then gets no output.
    @Test(arguments: FileTask.allCases, [1, 100, 65_535, 65_536]) func ofASmallFile(task: FileTask, byteCount: Int)
        throws
    {
        let job = try FileJob(task, byteCount: byteCount)
        let count = job.sourceBytes.count
        let calls = try reports { try job.run(progress: $0) }
        let total = (task == .rekey ? 2 : 1) * count
        #expect(calls.last == FileProgress(bytesDone: total, totalBytes: total), "\(calls)")
        try job.folder.remove("destination")
        let writer = try PipeWriter(job.sourceBytes)
        for source in [job.source, .descriptor(try #require(writer.readEnd))] {
            let error = try caughtError {
                try job.run(from: source) { if $0.bytesDone >= count { throw CancellationError() } }
            }
            #expect(error?.code == .cancelled)
            #expect(try job.folder.names() == ["source"])
        }
    }

    @Test(arguments: FileTask.allCases) func fromAFile(task: FileTask) throws {
        let job = try FileJob(task, byteCount: Self.length)
        let count = job.sourceBytes.count
        let toFile = try reports { try job.run(progress: $0) }
        let passes = task == .rekey ? 2 : 1
        try check(toFile, sourceByteCount: count, totalBytes: passes * count, passes: passes)

        let reader = try PipeReader()
        let toPipe = try reports { try job.run(to: .descriptor(try #require(reader.writeEnd)), progress: $0) }
        _ = try reader.finish()
        let both = task == .encrypt ? 1 : 2
        try check(toPipe, sourceByteCount: count, totalBytes: both * count, passes: both, isOfPipe: true)
    }

    @Test(arguments: FileTask.allCases, [1000, 30_000, 1_000_000]) func fromAPipe(task: FileTask, chunk: Int) throws {
        let job = try FileJob(task, byteCount: Self.length)
        let writer = try PipeWriter(job.sourceBytes, inChunksOf: chunk)
        let calls = try reports { try job.run(from: .descriptor(try #require(writer.readEnd)), progress: $0) }
        let passes = task == .rekey ? 2 : 1
        try check(calls, sourceByteCount: job.sourceBytes.count, totalBytes: nil, passes: passes, isOfPipe: true)
    }

    @Test func ofAPartOfAFile() throws {
        let job = try FileJob(.encrypt, byteCount: Self.length)
        let calls = try job.folder.withDescriptor(of: "source", O_RDONLY) { file in
            #expect(lseek(file, 1_000_000, SEEK_SET) == 1_000_000)
            return try reports { try job.run(from: .descriptor(file), progress: $0) }
        }
        try check(calls, sourceByteCount: 1_300_000, totalBytes: 1_300_000, passes: 1)
    }

    /// Only the HMAC tells which reading of the password was meant, and nothing is decrypted before it matches.
    @Test func ofAMessageWithSeveralReadings() throws {
        let job = try FileJob(.encrypt, byteCount: Self.length)
        let password = try Credential.password("p\u{e4}ssword")
        let salts = Header.Salts(encryption: Array(1...8), hmac: Array(2...9))
        let header = Header(version: .v2, salts: salts, iv: Array(3...18))
        let message = try Cryptor.encrypt(job.plaintext, with: password, header: header)
        try job.folder.write(message, to: "source")
        for shortened in [false, true] {
            let calls = try reports {
                try Cryptor.decryptFile(
                    at: job.source, to: job.destination, with: password,
                    accepting: Acceptance([.v2], shortenedPasswords: shortened),
                    options: FileOptions(overwriting: true), progress: $0)
            }
            let passes = shortened ? 2 : 1
            try check(calls, sourceByteCount: message.count, totalBytes: passes * message.count, passes: passes)
        }
    }

    /// Text counts as it is, whatever reads it.
    @Test(arguments: ["verify", "inspect", "stream"]) func ofBase64(work: String) throws {
        let job = try FileJob(.decrypt, byteCount: Self.length)
        let text = [UInt8](Data(job.sourceBytes).base64EncodedData())
        try job.folder.write(text, to: "source")
        let options = FileOptions(base64: true)
        func run(_ progress: @escaping FileProgress.Handler) throws {
            switch work {
            case "verify":
                try Cryptor.verifyFile(at: job.source, with: job.credential, options: options, progress: progress)
            case "inspect": _ = try Cryptor.inspectFile(at: job.source, options: options, progress: progress)
            default:
                let reader = try PipeReader()
                try Cryptor.decryptFile(
                    at: job.source, to: .descriptor(try #require(reader.writeEnd)), with: job.credential,
                    options: options, progress: progress)
            }
        }
        let passes = work == "stream" ? 2 : 1
        let calls = try reports { try run($0) }
        if work == "inspect" {
            #expect(calls.count >= 5 && calls.allSatisfy { $0.totalBytes == text.count }, "\(calls)")
        } else {
            try check(
                calls, sourceByteCount: text.count, totalBytes: passes * text.count, passes: passes, isOfPipe: true)
        }
        var count = 0
        let error = try caughtError {
            try run { _ in
                count += 1
                if count == 2 { throw CancellationError() }
            }
        }
        #expect(error?.code == .cancelled && count == 2)
    }

    // MARK: Lengths that no file of this disk has

    private static let hugeByteCount = 5 << 60

    private static let canBeHuge: Bool = {
        guard FileSystems.all.contains(FileSystems.memory), let folder = try? TemporaryFolder(in: FileSystems.memory)
        else { return false }
        try? folder.write([], to: "probe")
        return (try? folder.truncate("probe", to: hugeByteCount)) != nil
    }()

    /// Work that reads a file twice reports no total if twice the file's length is more than `Int.max`.
    @Test(.enabled(if: canBeHuge), arguments: [Role.verify, .decryptFrom, .rekeyFrom, .chunksFrom, .open, .inspect])
    func aFileOf5EiB(role: Role) throws {
        let job = try FileJob(.decrypt)
        let huge = try TemporaryFolder(in: FileSystems.memory)
        try huge.write(try Cryptor.encrypt([], with: job.credential), to: "huge")
        // A message can have this length.
        let byteCount = Self.hugeByteCount + 2
        try huge.truncate("huge", to: byteCount)
        let source = FileEndpoint.path(huge.path("huge"))
        guard role != .inspect else {
            let inspection = try Cryptor.inspectFile(at: source)
            #expect(inspection.messageByteCount == byteCount && inspection.shapeError == nil)
            return
        }
        let isReadTwice = role == .rekeyFrom || role == .chunksFrom
        var calls = 0
        let error = try caughtError {
            try role.run(job, source) {
                #expect($0.totalBytes == (isReadTwice ? nil : byteCount))
                calls += 1
                if calls == 3 { throw CancellationError() }
            }
        }
        #expect(error?.code == .cancelled && calls == 3, "\(String(describing: error))")
    }
}
