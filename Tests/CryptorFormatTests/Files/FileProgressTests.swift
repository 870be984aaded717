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
        #expect(
            steps.dropLast().allSatisfy(isStep), "\(counts)", sourceLocation: sourceLocation)
        // No read is longer than a segment.
        #expect(
            steps.allSatisfy { $0 < SegmentByteCount.forSecondPass + Self.step }, "\(counts)",
            sourceLocation: sourceLocation)
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
            var reporter = ProgressReporter(handler, totalBytes: nil)
            for _ in 0..<3 {
                try reporter.advance(by: Self.step - 1)
                try reporter.advance(by: 1)
            }
            try reporter.advance(by: 3 * Self.step)
        }
        #expect(calls.map(\.bytesDone) == [1, 2, 3, 6].map { $0 * Self.step })
    }

    /// However small the file is, the last report says that it is done.
    @Test(arguments: FileTask.allCases, [1, 100, 65_535, 65_536])
    func ofASmallFile(task: FileTask, byteCount: Int) throws {
        let job = try FileJob(task, byteCount: byteCount)
        let calls = try reports { try job.run(progress: $0) }
        let total = (task == .rekey ? 2 : 1) * job.sourceBytes.count
        #expect(calls.last == FileProgress(bytesDone: total, totalBytes: total), "\(calls)")
    }

    /// Whoever cancels when all has been read, however little that is, gets no output.
    @Test(arguments: FileTask.allCases, [false, true])
    func cancelledAtTheEnd(task: FileTask, isPipe: Bool) throws {
        let job = try FileJob(task, byteCount: 100)
        let count = job.sourceBytes.count
        let writer = try PipeWriter(job.sourceBytes)
        let source = isPipe ? FileEndpoint.descriptor(try #require(writer.readEnd)) : job.source
        let error = #expect(throws: CryptorError.self) {
            try job.run(from: source) { if $0.bytesDone >= count { throw CancellationError() } }
        }
        #expect(error?.code == .cancelled)
        #expect(try job.folder.names() == ["source"])
    }

    @Test(arguments: FileTask.allCases)
    func fromAFile(task: FileTask) throws {
        let job = try FileJob(task, byteCount: Self.length)
        let passes = task == .rekey ? 2 : 1
        let count = job.sourceBytes.count
        let calls = try reports { try job.run(progress: $0) }
        try check(calls, sourceByteCount: count, totalBytes: passes * count, passes: passes)
    }

    @Test(arguments: FileTask.allCases)
    func fromAFileToAStream(task: FileTask) throws {
        let job = try FileJob(task, byteCount: Self.length)
        let passes = task == .encrypt ? 1 : 2
        let count = job.sourceBytes.count
        let reader = try PipeReader()
        let destination = FileEndpoint.descriptor(try #require(reader.writeEnd))
        let calls = try reports { try job.run(to: destination, progress: $0) }
        _ = try reader.finish()
        try check(calls, sourceByteCount: count, totalBytes: passes * count, passes: passes, isOfPipe: true)
    }

    /// Output to the null device takes no second pass, because nobody can see it.
    @Test(arguments: FileTask.allCases, [false, true])
    func fromAFileToTheNullDevice(task: FileTask, isDescriptor: Bool) throws {
        let job = try FileJob(task, byteCount: Self.length)
        let passes = task == .rekey ? 2 : 1
        let count = job.sourceBytes.count
        let calls = try reports { handler in
            guard isDescriptor else { return try job.run(to: .path("/dev/null"), progress: handler) }
            let null = open("/dev/null", O_WRONLY)
            defer { close(null) }
            try job.run(to: .descriptor(null), progress: handler)
        }
        try check(calls, sourceByteCount: count, totalBytes: passes * count, passes: passes)
    }

    @Test(arguments: FileTask.allCases, [1000, 30_000, 1_000_000])
    func fromAPipe(task: FileTask, chunkByteCount: Int) throws {
        let job = try FileJob(task, byteCount: Self.length)
        let writer = try PipeWriter(job.sourceBytes, inChunksOf: chunkByteCount)
        let source = FileEndpoint.descriptor(try #require(writer.readEnd))
        let calls = try reports { try job.run(from: source, progress: $0) }
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

    @Test(arguments: [false, true])
    func ofVerification(asBase64: Bool) throws {
        let job = try FileJob(.decrypt, byteCount: Self.length)
        if asBase64 { try job.folder.write([UInt8](Data(job.sourceBytes).base64EncodedData()), to: "source") }
        let calls = try reports {
            try Cryptor.verifyFile(
                at: job.source, with: job.credential, options: FileOptions(base64: true), progress: $0)
        }
        let count = try job.folder.read("source").count
        try check(calls, sourceByteCount: count, totalBytes: count, passes: 1)
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

    @Test func twicePastBase64() throws {
        let job = try FileJob(.decrypt, byteCount: Self.length)
        let text = [UInt8](Data(job.sourceBytes).base64EncodedData())
        try job.folder.write(text, to: "source")
        let reader = try PipeReader()
        let destination = FileEndpoint.descriptor(try #require(reader.writeEnd))
        let calls = try reports {
            try Cryptor.decryptFile(
                at: job.source, to: destination, with: job.credential, options: FileOptions(base64: true), progress: $0)
        }
        _ = try reader.finish()
        try check(calls, sourceByteCount: text.count, totalBytes: 2 * text.count, passes: 2, isOfPipe: true)
    }
}
