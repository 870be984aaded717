import Foundation
import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Work that waits because nobody has opened the other end of a FIFO can be cancelled.
@Suite(.unlessItHangs) struct FIFOTests {
    private struct Enough: Error {}

    private let job: FileJob
    private let fifo: FileEndpoint

    init() throws {
        job = try FileJob(.decrypt)
        try job.folder.makeFIFO("fifo")
        fifo = .path(job.folder.path("fifo"))
    }

    /// Everything that opens a file.
    enum Work: CaseIterable, Sendable {
        case encryptFrom, decryptFrom, rekeyFrom, chunksFrom, verify, open, inspect, encryptTo, decryptTo, rekeyTo

        func run(_ job: FileJob, _ fifo: FileEndpoint, _ progress: @escaping FileProgress.Handler) throws {
            let (keys, new) = (job.credential, job.newCredential)
            switch self {
            case .encryptFrom: try Cryptor.encryptFile(at: fifo, to: job.destination, with: keys, progress: progress)
            case .decryptFrom: try Cryptor.decryptFile(at: fifo, to: job.destination, with: keys, progress: progress)
            case .rekeyFrom:
                try Cryptor.rekeyFile(at: fifo, to: job.destination, from: keys, into: new, progress: progress)
            case .chunksFrom:
                try Cryptor.decryptFile(at: fifo, with: keys, progress: progress) { _ in Issue.record("a chunk") }
            case .verify: try Cryptor.verifyFile(at: fifo, with: keys, progress: progress)
            case .open: _ = try VerifiedFile(at: fifo, with: keys, progress: progress)
            case .inspect: _ = try Cryptor.inspectFile(at: fifo, progress: progress)
            case .encryptTo: try Cryptor.encryptFile(at: job.source, to: fifo, with: keys, progress: progress)
            case .decryptTo: try Cryptor.decryptFile(at: job.source, to: fifo, with: keys, progress: progress)
            case .rekeyTo: try Cryptor.rekeyFile(at: job.source, to: fifo, from: keys, into: new, progress: progress)
            }
        }
    }

    /// A wrong destination is an error before the work waits for the writer of its source.
    @Test func destinationsThatAreNoFiles() throws {
        let elsewhere = try #require(URL(string: "https://example.org/"))
        let (keys, new) = (job.credential, job.newCredential)
        let works = [
            { try Cryptor.encryptFile(at: fifo, to: elsewhere, with: keys) },
            { try Cryptor.decryptFile(at: fifo, to: elsewhere, with: keys) },
            { try Cryptor.rekeyFile(at: fifo, to: elsewhere, from: keys, into: new) },
        ]
        for (index, work) in works.enumerated() {
            let error = #expect(throws: CryptorError.self, "\(index)") { try work() }
            #expect(error?.code == .invalidPath, "\(index)")
        }
    }

    /// Where a regular file is needed, opening does not wait, even if a FIFO has taken its name.
    @Test func whereNobodyIsWaitedFor() throws {
        let file = try InputFile(opening: fifo, awaitingWriter: false, progress: ProgressReporter())
        #expect(file.status.kind == .fifo)
    }

    @Test(arguments: Work.allCases)
    func theHandlerEndsTheWait(work: Work) throws {
        var calls = 0
        let error = #expect(throws: CryptorError.self) {
            try work.run(job, fifo) {
                #expect($0.bytesDone <= HeaderReader.base64ProbeByteCount)
                calls += 1
                if calls == 3 { throw Enough() }
            }
        }
        #expect(error?.code == .cancelled)
        #expect(calls == 3, "called again after it had cancelled")
        #expect(try job.folder.names() == ["fifo", "source"])
    }

    /// Work that waits for a writer that writes nothing can be cancelled.
    @Test(arguments: Work.allCases.prefix(7))
    func aWriterThatSaysNothing(work: Work) throws {
        try job.folder.withDescriptor(of: "fifo", O_RDWR) { _ in
            var calls = 0
            let error = #expect(throws: CryptorError.self) {
                try work.run(job, fifo) { _ in
                    calls += 1
                    if calls == 3 { throw Enough() }
                }
            }
            #expect(error?.code == .cancelled)
        }
    }

    /// Work that waits for a reader that reads nothing can be cancelled.
    @Test(arguments: FileTask.allCases)
    func aReaderThatTakesNothing(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 1_000_000)
        try job.folder.makeFIFO("fifo")
        try job.folder.withDescriptor(of: "fifo", O_RDWR) { _ in
            let deadline = Mutex(0)
            let error = #expect(throws: CryptorError.self) {
                try job.run(to: .path(job.folder.path("fifo"))) { progress in
                    // The work is stuck when it has read no byte between two calls.
                    let isStuck = deadline.withLock { last in
                        defer { last = progress.bytesDone }
                        return last == progress.bytesDone && last > 0
                    }
                    if isStuck { throw Enough() }
                }
            }
            #expect(error?.code == .cancelled)
        }
    }

    /// A FIFO without write permission is refused at once, and so is a socket, whose error is that of an unread FIFO.
    @Test(.enabled(if: Privileges.canBeDropped), arguments: [(true, EACCES), (false, ENXIO)])
    func whatIsNotWaitedFor(isFIFO: Bool, number: Int32) throws {
        let job = try FileJob(.encrypt)
        try job.folder.setMode(0o755, of: ".")
        try job.folder.setMode(0o644, of: "source")
        if isFIFO {
            try job.folder.makeFIFO("output")
            try job.folder.setMode(0o444, of: "output")
        } else {
            try job.folder.makeSocket("output")
            try job.folder.setMode(0o666, of: "output")
        }
        var calls = 0
        let error = try caughtError {
            try Privileges.withoutRoot {
                try job.run(to: .path(job.folder.path("output"))) { _ in
                    calls += 1
                    if calls > 20 { throw Enough() }
                }
            }
        }
        #expect(error?.systemErrorNumber == number, "\(String(describing: error))")
    }

    // MARK: On a pool

    enum PoolWork: CaseIterable, Sendable {
        case encryptFrom, decryptFrom, rekeyFrom, verify, encryptTo, decryptTo

        func run(_ pool: CryptorPool, _ source: String, _ fifo: String, _ job: PoolJob) async throws {
            let (keys, destination) = (job.credential, job.destination)
            switch self {
            case .encryptFrom: try await pool.encryptFile(at: fifo, to: destination, with: keys)
            case .decryptFrom: try await pool.decryptFile(at: fifo, to: destination, with: keys)
            case .rekeyFrom: try await pool.rekeyFile(at: fifo, to: destination, from: keys, into: keys)
            case .verify: try await pool.verifyFile(at: fifo, with: keys)
            case .encryptTo: try await pool.encryptFile(at: source, to: fifo, with: keys)
            case .decryptTo: try await pool.decryptFile(at: source, to: fifo, with: keys)
            }
        }
    }

    struct PoolJob: Sendable {
        let credential: Credential
        let destination: String
    }

    /// After a cancellation, the only thread of the pool is free again.
    @Test(arguments: PoolWork.allCases)
    func aCancelledTaskLeavesTheThread(work: PoolWork) async throws {
        let pool = CryptorPool(threadCount: 1)
        let poolJob = PoolJob(credential: job.credential, destination: job.folder.path("destination"))
        let (source, fifo) = (job.folder.path("source"), job.folder.path("fifo"))
        let blocker = await Blocker(occupying: pool.files)
        let task = Task { try await work.run(pool, source, fifo, poolJob) }
        await until { pool.files.count == 1 }
        blocker.open()
        // The work has the thread once the queue is empty.
        await until { pool.files.count == 0 }
        task.cancel()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        let count = try await pool.inspectFile(at: source).messageByteCount
        #expect(count == job.sourceBytes.count)
        #expect(try job.folder.names() == ["fifo", "source"])
    }

    // MARK: Those who come late

    @Test(arguments: FileTask.allCases, [0, 1000, 300_000])
    func aWriterThatComesLateIsReadToItsEnd(task: FileTask, byteCount: Int) throws {
        let job = try FileJob(task, byteCount: byteCount)
        try job.folder.makeFIFO("fifo")
        let path = job.folder.path("fifo")
        var calls = 0
        var writer: PipeWriter?
        try job.run(from: .path(path)) { _ in
            calls += 1
            if calls == 2 { writer = PipeWriter(job.sourceBytes, intoFIFO: path) }
        }
        #expect(writer != nil, "nobody waited for him")
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    @Test(arguments: FileTask.allCases)
    func aReaderThatComesLateGetsEverything(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 300_000)
        try job.folder.makeFIFO("fifo")
        let path = job.folder.path("fifo")
        var calls = 0
        var reader: PipeReader?
        try job.run(to: .path(path)) { _ in
            calls += 1
            if calls == 2 { reader = PipeReader(fifo: path) }
        }
        let received = try #require(reader).finish()
        #expect(try job.flaw(in: received) == nil, "\(SeededGenerator())")
    }

    /// Without a progress handler, the work waits as long as necessary.
    @Test(arguments: FileTask.allCases)
    func withoutAHandler(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 100_000)
        for name in ["in", "out"] { try job.folder.makeFIFO(name) }
        let writer = PipeWriter(job.sourceBytes, intoFIFO: job.folder.path("in"))
        let reader = PipeReader(fifo: job.folder.path("out"))
        try job.run(from: .path(job.folder.path("in")), to: .path(job.folder.path("out")))
        #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())")
        withExtendedLifetime(writer) {}
    }

    /// A FIFO whose writer wrote nothing is an empty source.
    @Test func anEmptyOne() throws {
        let encryption = try FileJob(.encrypt)
        try encryption.folder.makeFIFO("fifo")
        let path = encryption.folder.path("fifo")
        let writer = PipeWriter([], intoFIFO: path)
        try encryption.run(from: .path(path))
        let found = try Cryptor.decrypt(encryption.folder.read("destination"), with: encryption.credential)
        #expect(found.isEmpty)
        let other = PipeWriter([], intoFIFO: job.folder.path("fifo"))
        let error = #expect(throws: CryptorError.self) { try Cryptor.verifyFile(at: fifo, with: job.credential) }
        #expect(error?.code == .invalidMessageLength)
        withExtendedLifetime((writer, other)) {}
    }

    /// A message that its writer cut short is refused once the writer has closed the FIFO.
    @Test func aWriterThatGoesTooEarly() throws {
        let writer = PipeWriter(Array(job.sourceBytes.dropLast(16)), intoFIFO: job.folder.path("fifo"))
        let error = #expect(throws: CryptorError.self) { try job.run(from: fifo) }
        #expect(error?.code == .authenticationFailed)
        #expect(try job.folder.names() == ["fifo", "source"])
        withExtendedLifetime(writer) {}
    }
}
