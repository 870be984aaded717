import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles
@testable import CryptorFormat

/// What the progress handler is told.
@Suite struct FileProgressTests {
    /// Reports are at least this far apart.
    private static let step = 64 * 1024
    private static let length = 2_300_000

    /// - Parameter passes: how often the source is read; nil if the total is not known. The last
    ///   pass may leave out the tail of a message.
    private func check(
        _ calls: [FileProgress], _ sourceByteCount: Int, passes: Int, isKnown: Bool = true,
        isOfPipe: Bool = false,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let end = passes * sourceByteCount
        #expect(calls.count >= 5, sourceLocation: location)
        // How much comes from a pipe is known once it has ended.
        let isTotalRight = calls.allSatisfy { call in
            let isKnownByNow = isKnown || call.bytesDone > sourceByteCount
            let isEnd = !isKnown && call.bytesDone == sourceByteCount
            return isEnd || call.totalBytes == (isKnownByNow ? end : nil)
        }
        #expect(isTotalRight, "\(calls)", sourceLocation: location)
        let counts = [0] + calls.map(\.bytesDone)
        let steps = zip(counts, counts.dropFirst()).map { $1 - $0 }
        // The last report comes at the end, however close to the one before it. More reports may
        // come while the work waits for the other end of a pipe.
        let isStep = { (count: Int) in count >= (isOfPipe ? 0 : Self.step) }
        #expect(steps.dropLast().allSatisfy(isStep), "\(counts)", sourceLocation: location)
        // No read is longer than two segments, which base64 text of one is.
        let longest = 2 * MessageChunk.byteCount + Self.step
        #expect(steps.allSatisfy { $0 < longest }, "\(counts)", sourceLocation: location)
        let last = try #require(calls.last?.bytesDone)
        let isAtEnd = isKnown ? last == end : last <= end && last > end - Self.step - 48
        #expect(isAtEnd, "\(last) of \(end)", sourceLocation: location)
    }

    private func reports(during work: (@escaping ProgressHandler) throws -> Void) throws
        -> [FileProgress]
    {
        var calls: [FileProgress] = []
        try withoutActuallyEscaping({ calls.append($0) }) { try work($0) }
        return calls
    }

    /// The handler is asked now and then while nothing comes, and can end that.
    @Test func whileNothingComes() throws {
        let pipe = Pipe()
        // If nobody asks, the pipe ends, and with it the test.
        DispatchQueue.global().asyncAfter(deadline: .now() + 20) {
            try? pipe.fileHandleForWriting.close()
        }
        var count = 0
        let error = try caughtError {
            try Cryptor.verifyFile(
                at: .descriptor(pipe.fileHandleForReading.fileDescriptor), with: FileJob.keys(1),
                progress: { _ in
                    count += 1
                    if count == 3 { throw CancellationError() }
                })
        }
        #expect(error?.code == .cancelled && count == 3, "\(String(describing: error))")
    }

    /// However small the file is, the last report says that it is done. Whoever cancels then gets
    /// no output.
    @Test(arguments: FileTask.allCases, [1, 100, 65_535, 65_536]) func ofASmallFile(
        task: FileTask, byteCount: Int
    )
        throws
    {
        let job = try FileJob(task, byteCount: byteCount)
        let count = job.sourceBytes.count
        let calls = try reports { try job.run(progress: $0) }
        let total = (task == .rekey ? 2 : 1) * count
        #expect(calls.last == FileProgress(bytesDone: total, totalBytes: total), "\(calls)")
        try job.directory.remove("destination")
        let writer = try PipeWriter(job.sourceBytes)
        for source in [job.source, try writer.source] {
            let error = try caughtError {
                try job.run(from: source) { if $0.bytesDone >= count { throw CancellationError() } }
            }
            #expect(error?.code == .cancelled)
            #expect(try job.directory.names() == ["source"])
        }
    }

    /// So does the opening of a file that is read in parts. The kernel's own files have no length,
    /// and an empty pipe none.
    @Test func ofOtherFiles() throws {
        let job = try FileJob(.decrypt, byteCount: 100)
        let count = job.sourceBytes.count
        let ofOpening = try reports {
            _ = try VerifiedFile(at: job.source, with: job.credential, progress: $0)
        }
        #expect(ofOpening.last == FileProgress(bytesDone: count, totalBytes: count))
        for source in ["/proc/version", nil] {
            let writer = try PipeWriter([])
            let endpoint = if let source { source.endpoint } else { try writer.source }
            let options = FileOptions(overwriting: true)
            let calls = try reports {
                try Cryptor.encryptFile(
                    at: endpoint, to: job.destination, with: job.credential, options: options,
                    progress: $0)
            }
            #expect(
                !calls.isEmpty
                    && calls.allSatisfy {
                        $0.totalBytes == nil && ($0.bytesDone > 0) == (source != nil)
                    })
        }
    }

    @Test(arguments: FileTask.allCases) func ofALargeFile(task: FileTask) throws {
        let job = try FileJob(task, byteCount: Self.length)
        let count = job.sourceBytes.count
        let passes = task == .rekey ? 2 : 1
        try check(try reports { try job.run(progress: $0) }, count, passes: passes)
        let toPipe = try reports { handler in
            _ = try throughPipe { try job.run(to: $0, progress: handler) }
        }
        try check(toPipe, count, passes: task == .encrypt ? 1 : 2, isOfPipe: true)
        for chunk in [1000, 1_000_000] {
            let writer = try PipeWriter(job.sourceBytes, inChunksOf: chunk)
            let fromPipe = try reports {
                try job.run(from: writer.source, overwriting: true, progress: $0)
            }
            try check(fromPipe, count, passes: passes, isKnown: false, isOfPipe: true)
        }
    }

    /// Only the HMAC tells which reading of the password was meant, and nothing is decrypted before
    /// it matches.
    @Test func ofAMessageWithSeveralReadings() throws {
        let job = try FileJob(.encrypt, byteCount: Self.length)
        let password = try Credential.password("p\u{e4}ssword")
        let salts = MessageHeader.Salts(encryption: Array(1...8), hmac: Array(2...9))
        let header = MessageHeader(version: .v2, salts: salts, iv: Array(3...18))
        let message = try Cryptor.encrypt(job.plaintext, with: password, header: header)
        try job.directory.write(message, to: "source")
        for shortened in [false, true] {
            let calls = try reports {
                try Cryptor.decryptFile(
                    at: job.source, to: job.destination,
                    with: try password.withShortenedReadings(shortened),
                    options: FileOptions(overwriting: true), progress: $0)
            }
            try check(calls, message.count, passes: shortened ? 2 : 1)
        }
    }

    /// Text counts as it is, and what was decoded from it as that.
    @Test func ofBase64() throws {
        let job = try FileJob(.decrypt, byteCount: Self.length)
        let text = Array(Cryptor.base64Text(of: job.sourceBytes).utf8)
        try job.directory.write(text, to: "source")
        let options = FileOptions(base64: true)
        let ofStream = try reports { handler in
            _ = try throughPipe {
                try FileTask.decrypt.run(
                    job.source, $0, job.keys, options: options, progress: handler)
            }
        }
        try check(ofStream, text.count + text.count / 4 * 3, passes: 1, isOfPipe: true)
        let ofInspection = try reports {
            _ = try Cryptor.inspectFile(at: job.source, options: options, progress: $0)
        }
        #expect(
            ofInspection.count >= 5 && ofInspection.allSatisfy { $0.totalBytes == text.count },
            "\(ofInspection)")
    }

    // MARK: Lengths that no file of this disk has

    private static let hugeByteCount = 5 << 60 + 2

    private static let canBeHuge: Bool = {
        guard FileSystems.all.contains(FileSystems.memory),
            let directory = try? TemporaryDirectory(in: FileSystems.memory)
        else { return false }
        try? directory.write([], to: "probe")
        return (try? directory.truncate("probe", to: hugeByteCount)) != nil
    }()

    /// No total is more than `Int.max`.
    @Test(
        .enabled(if: canBeHuge, "files have no holes here"),
        arguments: [Role.verify, .decryptFrom, .rekeyFrom, .chunksFrom, .open, .inspect])
    func aFileOf5EiB(role: Role) throws {
        let job = try FileJob(.decrypt)
        let huge = try TemporaryDirectory(in: FileSystems.memory)
        try huge.write(try Cryptor.encrypt([], with: job.credential), to: "huge")
        try huge.truncate("huge", to: Self.hugeByteCount)
        let isReadTwice = role == .rekeyFrom || role == .chunksFrom
        var calls = 0
        let error = try caughtError {
            try role.run(job, huge.path("huge")) {
                #expect($0.totalBytes == (isReadTwice ? Int.max : Self.hugeByteCount))
                calls += 1
                if calls == 3 { throw CancellationError() }
            }
        }
        // An inspection looks at the start only.
        #expect(
            error?.code == (role == .inspect ? nil : .cancelled),
            "\(String(describing: error)), \(calls) calls")
    }
}
