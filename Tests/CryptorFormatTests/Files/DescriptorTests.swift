import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Open descriptors, which the library neither opens nor closes nor replaces.
@Suite struct DescriptorTests {
    private static let lengths = FileRoundTripTests.lengths

    @Test(arguments: lengths, Naming.allCases)
    func fromPipeToPipe(length: Int, naming: Naming) throws {
        for credential in try FileRoundTripTests.credentials() {
            let plaintext = LongBytes.bytes(length)
            let message = try throughPipes(plaintext, naming) {
                try Cryptor.encryptFile(at: $0, to: $1, with: credential)
            }
            let decrypted = try throughPipes(message, naming) {
                try Cryptor.decryptFile(at: $0, to: $1, with: credential)
            }
            let comment: Comment = "\(length) bytes, \(credential), \(SeededGenerator())"
            #expect(firstDifference(decrypted, plaintext) == nil, comment)
        }
    }

    private func throughPipes(
        _ bytes: [UInt8], _ naming: Naming, _ work: (FileEndpoint, FileEndpoint) throws -> Void
    ) throws -> [UInt8] {
        let writer = try PipeWriter(bytes)
        let reader = try PipeReader()
        let source = try #require(writer.readEnd)
        let destination = try #require(reader.writeEnd)
        try naming.use { try work(.descriptor(source), .descriptor(destination)) }
        #expect(fcntl(source, F_GETFD) >= 0 && fcntl(destination, F_GETFD) >= 0, "a descriptor was closed")
        return try reader.finish()
    }

    #if os(Linux)
    /// A pipe gets room for all that is written at a time, so that nobody waits for each part of it. More room stays.
    @Test(arguments: [4096, 65536, 1 << 20], FileTask.allCases)
    func roomInThePipe(byteCount: Int, task: FileTask) throws {
        let (getCapacity, setCapacity): (CInt, CInt) = (1032, 1031)
        let job = try FileJob(task, byteCount: 100)
        let reader = try PipeReader()
        let pipe = try #require(reader.writeEnd)
        try #require(fcntl(pipe, setCapacity, CInt(byteCount)) == byteCount)
        try job.run(to: .descriptor(pipe))
        #expect(Int(fcntl(pipe, getCapacity)) == max(byteCount, 256 * 1024))
    }
    #endif

    @Test(arguments: [1, 7, 1000, 100_000])
    func pipesThatGiveLittleAtATime(chunkByteCount: Int) throws {
        let plaintext = LongBytes.bytes(chunkByteCount * 20)
        let credential = try FileJob.keys(1)
        let writer = try PipeWriter(try Cryptor.encrypt(plaintext, with: credential), inChunksOf: chunkByteCount)
        let reader = try PipeReader()
        try Cryptor.decryptFile(
            at: .descriptor(try #require(writer.readEnd)), to: .descriptor(try #require(reader.writeEnd)),
            with: credential)
        #expect(try firstDifference(reader.finish(), plaintext) == nil, "\(SeededGenerator())")
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func fromPipeToPath(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 1_200_000)
        let writer = try PipeWriter(job.sourceBytes)
        try naming.use { try job.run(from: .descriptor(try #require(writer.readEnd))) }
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        #expect(try job.folder.names() == ["destination", "source"])
    }

    /// Through /proc, a removed file has a path again. No other file can take its place there.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")), arguments: FileTask.allCases)
    func aPathToAFileWithoutAName(task: FileTask) throws {
        for overwriting in [false, true] {
            let job = try FileJob(task)
            try job.folder.write([1, 2, 3], to: "gone")
            try job.folder.withDescriptor(of: "gone", O_RDWR) { descriptor in
                try job.folder.remove("gone")
                let error = try caughtError {
                    try job.run(to: .path("/proc/self/fd/\(descriptor)"), overwriting: overwriting)
                }
                #expect(error?.code == .inputOutput)
                #expect(error?.description.contains("an open file without a name") == true)
                #expect(lseek(descriptor, 0, SEEK_END) == 3)
            }
            #expect(try job.folder.names() == ["source"])
        }
    }

    /// The bytes before the descriptor's position are not part of either file.
    @Test(arguments: FileTask.allCases, [0, 1, 300_000, 1_200_000])
    func regularFilesAtAnOffset(task: FileTask, byteCount: Int) throws {
        let job = try FileJob(task, byteCount: byteCount)
        let before = LongBytes.bytes(1234, from: 99)
        try job.folder.write(before + job.sourceBytes, to: "source")
        try job.folder.write(before, to: "destination")
        try job.folder.withDescriptor(of: "source", O_RDONLY) { source in
            try job.folder.withDescriptor(of: "destination", O_WRONLY) { destination in
                #expect(lseek(source, 1234, SEEK_SET) == 1234)
                #expect(lseek(destination, 1234, SEEK_SET) == 1234)
                try job.run(from: .descriptor(source), to: .descriptor(destination))
                #expect(lseek(source, 0, SEEK_CUR) == 1234 + job.sourceBytes.count, "who reads on goes on behind it")
            }
        }
        let written = try job.folder.read("destination")
        #expect(firstDifference(written.prefix(1234), before) == nil)
        #expect(try job.flaw(in: Array(written.dropFirst(1234))) == nil, "\(SeededGenerator())")
    }

    enum Work: CaseIterable, Sendable { case encrypt, decrypt, decryptToAStream, chunks, rekey, verify, inspect, open }

    /// The position is left behind what was read, as other programs do, so that the next one can read on from there.
    @Test(arguments: Work.allCases, [0, 77])
    func thePositionAfterwards(work: Work, start: Int) throws {
        for byteCount in [0, 1000, 1_200_000] {
            let job = try FileJob(work == .encrypt ? .encrypt : .decrypt, byteCount: byteCount)
            try job.folder.write(LongBytes.bytes(start) + job.sourceBytes, to: "source")
            let position = try job.folder.withDescriptor(of: "source", O_RDONLY) { file in
                try #require(lseek(file, off_t(start), SEEK_SET) == start)
                try run(work, .descriptor(file), job)
                return Int(lseek(file, 0, SEEK_CUR))
            }
            let comment: Comment = "\(byteCount) bytes"
            switch work {
            // A `VerifiedFile` goes on reading, and leaves the position to the caller.
            case .open: #expect(position == start, comment)
            // The start of a large message is enough.
            case .inspect where byteCount == 1_200_000:
                #expect(start < position && position < start + byteCount, comment)
            default: #expect(position == start + job.sourceBytes.count, comment)
            }
        }
    }

    private func run(_ work: Work, _ source: FileEndpoint, _ job: FileJob) throws {
        let keys = job.credential
        switch work {
        case .encrypt: try Cryptor.encryptFile(at: source, to: job.destination, with: keys)
        case .decrypt: try Cryptor.decryptFile(at: source, to: job.destination, with: keys)
        case .decryptToAStream:
            let reader = try PipeReader()
            let pipe = FileEndpoint.descriptor(try #require(reader.writeEnd))
            try Cryptor.decryptFile(at: source, to: pipe, with: keys)
        case .chunks: try Cryptor.decryptFile(at: source, with: keys) { _ in }
        case .rekey: try Cryptor.rekeyFile(at: source, to: job.destination, from: keys, into: job.newCredential)
        case .verify: try Cryptor.verifyFile(at: source, with: keys)
        case .inspect: _ = try Cryptor.inspectFile(at: source)
        case .open: _ = try VerifiedFile(at: source, with: keys)
        }
    }

    @Test(arguments: FileTask.allCases)
    func appendingDescriptors(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 100_000)
        try job.folder.write([1, 2, 3], to: "destination")
        try job.folder.withDescriptor(of: "destination", O_WRONLY | O_APPEND) { destination in
            try job.run(to: .descriptor(destination))
        }
        let written = try job.folder.read("destination")
        #expect(written.prefix(3) == [1, 2, 3])
        #expect(try job.flaw(in: Array(written.dropFirst(3))) == nil, "\(SeededGenerator())")
    }

    /// A process that lacks descriptors 0 to 2, and writes to them, does not write into the library's files.
    @Test func lowDescriptorsAreNotTaken() throws {
        let folder = try TemporaryFolder()
        let lines = try ProbeProcess(["low-descriptors", folder.path]).finish()
        #expect(lines == ["taken: 0, right: true"])
    }

    /// If a descriptor is set not to block, the library waits for it, and does not give up.
    @Test(arguments: FileTask.allCases)
    func nonblockingPipes(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 500_000)
        let writer = try PipeWriter(job.sourceBytes, inChunksOf: 1000)
        let reader = try PipeReader()
        let source = try #require(writer.readEnd)
        let destination = try #require(reader.writeEnd)
        for end in [source, destination] { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        try job.run(from: .descriptor(source), to: .descriptor(destination))
        #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())")
    }

    @Test(arguments: FileTask.allCases)
    func fifos(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 300_000)
        try job.folder.makeFIFO("in")
        try job.folder.makeFIFO("out")
        let writer = PipeWriter(job.sourceBytes, intoFIFO: job.folder.path("in"))
        let reader = PipeReader(fifo: job.folder.path("out"))
        try job.run(from: .path(job.folder.path("in")), to: .path(job.folder.path("out")))
        #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())")
        #expect(try job.folder.names() == ["in", "out", "source"], "a FIFO is written, not replaced")
        withExtendedLifetime(writer) {}
    }
}
