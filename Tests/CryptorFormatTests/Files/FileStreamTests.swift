import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// Pipes, FIFOs, devices and other open descriptors, which the library neither opens nor closes nor
/// replaces.
@Suite(.unlessItHangs) struct FileStreamTests {
    /// Pipes that give little at a time, even if they are set not to block: the library waits, and
    /// does not give up.
    @Test(arguments: FileTask.allCases, [1, 1000, 100_000]) func slowPipes(
        task: FileTask, chunkByteCount: Int
    ) throws {
        for flags in [0, O_NONBLOCK] {
            let job = try FileJob(task, byteCount: chunkByteCount * 20)
            let writer = try PipeWriter(job.sourceBytes, inChunksOf: chunkByteCount)
            let (released, error) = try throughPipe { pipe in
                for end in [writer.readEnd, pipe.descriptor] {
                    try #require(fcntl(try #require(end), F_SETFL, flags) == 0)
                }
                try job.run(from: writer.source, to: pipe)
            }
            #expect(try error == nil && job.flaw(in: released) == nil, "\(SeededGenerator())")
        }
    }

    /// A destination that is refused costs nothing of a pipe, which can be read only once.
    @Test(arguments: FileTask.allCases, [1, 200_000]) func aRefusedDestination(
        task: FileTask, byteCount: Int
    ) throws {
        let job = try FileJob(task, byteCount: byteCount)
        let writer = try PipeWriter(job.sourceBytes)
        let source = try writer.source
        for destination in [
            job.source, job.path("no directory/destination"), job.directory.path.endpoint,
        ] {
            let error = try caughtError { try job.run(from: source, to: destination) }
            #expect(
                [.destinationExists, .inputOutput].contains(error?.code),
                "\(String(describing: error))")
        }
        try job.run(from: source)
        #expect(try job.destinationFlaw() == nil)
    }

    /// The wrong end of a pipe, and a file that is open for something else, are errors at once: the
    /// system would wait for ever for the pipe to become ready.
    @Test(arguments: Role.allCases, [false, true]) func theWrongEnd(role: Role, isPipe: Bool) throws
    {
        let job = try FileJob(.decrypt)
        try job.directory.write([1], to: "file")
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in ends { close(end) } }
        try job.directory.withDescriptor(of: "file", role.isSource ? O_WRONLY : O_RDONLY) { file in
            let descriptor = isPipe ? ends[role.isSource ? 1 : 0] : file
            let error = try caughtError { try role.run(job, FileEndpoint.descriptor(descriptor)) }
            #expect(
                error?.code == .inputOutput && error?.systemErrorNumber == EBADF, "\(error as Any)")
            #expect(error?.fileOperation == (role.isSource ? .openingInput : .writingOutput))
        }
        #expect(try job.directory.names() == ["file", "source"])
    }

    /// A FIFO is opened when its other end is. It is written, not replaced.
    @Test(arguments: FileTask.allCases, [0, 300_000]) func fifos(task: FileTask, byteCount: Int)
        throws
    {
        let job = try FileJob(task, byteCount: byteCount)
        for name in ["in", "out"] { try job.directory.makeFIFO(name) }
        let writer = PipeWriter(job.sourceBytes, intoFIFO: job.directory.path("in"))
        let reader = PipeReader(fifo: job.directory.path("out"))
        try job.run(from: job.path("in"), to: job.path("out"))
        #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())")
        #expect(try job.directory.names() == ["in", "out", "source"])
        withExtendedLifetime(writer) {}
    }

    /// The bytes before the descriptor's position are not part of either file.
    @Test(arguments: FileTask.allCases, [0, 1_200_000]) func atAnOffset(
        task: FileTask, byteCount: Int
    ) throws {
        let job = try FileJob(task, byteCount: byteCount)
        let before = LongBytes.bytes(1234, from: 99)
        try job.directory.write(before + job.sourceBytes, to: "source")
        for flags in [O_WRONLY, O_WRONLY | O_APPEND] {
            try job.directory.write(before, to: "destination")
            try job.directory.withDescriptor(of: "source", O_RDONLY) { source in
                try job.directory.withDescriptor(of: "destination", flags) { destination in
                    #expect(lseek(source, 1234, SEEK_SET) == 1234)
                    #expect(lseek(destination, 1234, SEEK_SET) == 1234)
                    try job.run(from: .descriptor(source), to: .descriptor(destination)) {
                        #expect(
                            byteCount == 0
                                || $0.totalBytes == (task == .encrypt ? 1 : 2)
                                    * job.sourceBytes.count
                        )
                    }
                }
            }
            let written = try job.directory.read("destination")
            #expect(firstDifference(written.prefix(1234), before) == nil)
            #expect(try job.flaw(in: Array(written.dropFirst(1234))) == nil, "\(SeededGenerator())")
        }
    }

    /// A file is read from its position on, which stays where it is.
    @Test(arguments: Role.sources, [0, 77]) func thePositionAfterwards(role: Role, start: Int)
        throws
    {
        for byteCount in [0, 1000, 1_200_000] {
            let job = try FileJob(role == .encryptFrom ? .encrypt : .decrypt, byteCount: byteCount)
            try job.directory.write(LongBytes.bytes(start) + job.sourceBytes, to: "source")
            let position = try job.directory.withDescriptor(of: "source", O_RDONLY) { file in
                try #require(lseek(file, off_t(start), SEEK_SET) == start)
                try role.run(job, FileEndpoint.descriptor(file))
                return Int(lseek(file, 0, SEEK_CUR))
            }
            #expect(position == start, "\(byteCount) bytes")
        }
    }

    /// A lock that the caller has on a descriptor stays the caller's.
    @Test func theCallersLock() throws {
        let job = try FileJob(.decrypt)
        try job.directory.withDescriptor(of: "source", O_RDONLY) { file in
            try #require(flock(file, LOCK_EX) == 0)
            try Cryptor.verifyFile(at: .descriptor(file), with: job.credential)
            try job.directory.withDescriptor(of: "source", O_RDONLY) { other in
                #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
            }
        }
    }

    /// A process that lacks descriptors 0 to 2, and writes to them, does not write into the
    /// library's files.
    @Test func lowDescriptorsAreNotTaken() throws {
        let directory = try TemporaryDirectory()
        let lines = try ProbeProcess(["low-descriptors", directory.path]).finish()
        #expect(lines == ["taken: 0, right: true"])
    }

    /// Only the null device, which forgets everything, needs just one pass. Devices are written,
    /// not replaced.
    @Test(arguments: [("/dev/null", 1), ("/dev/zero", 2)]) func devices(path: String, passes: Int)
        throws
    {
        let job = try FileJob(.decrypt, byteCount: 1_500_000)
        var totals: Set<Int?> = []
        try job.run(to: path.endpoint) { totals.insert($0.totalBytes) }
        #expect(totals == [passes * job.sourceBytes.count], "\(path)")
        let kind =
            try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        #expect(kind == .typeCharacterSpecial, "\(path)")
    }
}
