import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Pipes, FIFOs, devices and other open descriptors, which the library neither opens nor closes nor replaces.
@Suite(.unlessItHangs) struct FileStreamTests {
    private struct Enough: Error {}

    // MARK: Pipes

    @Test(arguments: FileRoundTripTests.lengths, Naming.allCases) func fromPipeToPipe(length: Int, naming: Naming)
        throws
    {
        for task in FileTask.allCases {
            let job = try FileJob(Way(task: task, naming: naming), byteCount: length)
            let (writer, reader) = (try PipeWriter(job.sourceBytes), try PipeReader())
            let (source, destination) = (try #require(writer.readEnd), try #require(reader.writeEnd))
            try job.run(from: .descriptor(source), to: .descriptor(destination))
            #expect(fcntl(source, F_GETFD) >= 0 && fcntl(destination, F_GETFD) >= 0, "a descriptor was closed")
            #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())")
            let other = try PipeWriter(job.sourceBytes)
            try job.run(from: .descriptor(try #require(other.readEnd)))
            #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
            #expect(try job.folder.names() == ["destination", "source"])
        }
    }

    /// Pipes that give little at a time, even if they are set not to block: the library waits, and does not give up.
    @Test(arguments: FileTask.allCases, [1, 1000, 100_000]) func slowPipes(task: FileTask, chunkByteCount: Int) throws {
        for flags in [0, O_NONBLOCK] {
            let job = try FileJob(task, byteCount: chunkByteCount * 20)
            let writer = try PipeWriter(job.sourceBytes, inChunksOf: chunkByteCount)
            let reader = try PipeReader()
            let (source, destination) = (try #require(writer.readEnd), try #require(reader.writeEnd))
            for end in [source, destination] { try #require(fcntl(end, F_SETFL, flags) == 0) }
            try job.run(from: .descriptor(source), to: .descriptor(destination))
            #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())")
        }
    }

    /// The wrong end of a pipe, and a file that is open for something else, are errors at once: the system would wait for
    /// ever for the pipe to become ready.
    @Test(arguments: Role.allCases, [false, true]) func theWrongEnd(role: Role, isPipe: Bool) throws {
        let job = try FileJob(.decrypt)
        try job.folder.write([1], to: "file")
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in ends { close(end) } }
        try job.folder.withDescriptor(of: "file", role.isSource ? O_WRONLY : O_RDONLY) { file in
            let descriptor = isPipe ? ends[role.isSource ? 1 : 0] : file
            let error = try caughtError { try role.run(job, FileEndpoint.descriptor(descriptor)) }
            #expect(error?.code == .inputOutput && error?.systemErrorNumber == EBADF, "\(error as Any)")
            #expect(error?.fileOperation == (role.isSource ? .readingInput : .writingOutput))
        }
        #expect(try job.folder.names() == ["file", "source"])
    }

    // MARK: FIFOs

    /// A FIFO is opened when its other end is. It is written, not replaced.
    @Test(arguments: FileTask.allCases, [0, 1000, 300_000]) func fifos(task: FileTask, byteCount: Int) throws {
        let job = try FileJob(task, byteCount: byteCount)
        for name in ["in", "out"] { try job.folder.makeFIFO(name) }
        let writer = PipeWriter(job.sourceBytes, intoFIFO: job.folder.path("in"))
        let reader = PipeReader(fifo: job.folder.path("out"))
        try job.run(from: job.path("in"), to: job.path("out"))
        #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())")
        #expect(try job.folder.names() == ["in", "out", "source"])
        withExtendedLifetime(writer) {}
    }

    /// Work that waits for a writer that writes nothing can be cancelled.
    @Test(arguments: Role.sources) func aWriterThatSaysNothing(role: Role) throws {
        let job = try FileJob(.decrypt)
        try job.folder.makeFIFO("fifo")
        try job.folder.withDescriptor(of: "fifo", O_RDWR) { _ in
            var calls = 0
            let error = try caughtError {
                try role.run(job, job.path("fifo")) { _ in
                    calls += 1
                    if calls == 3 { throw Enough() }
                }
            }
            #expect(error?.code == .cancelled)
        }
    }

    /// A message that its writer cut short is refused once the writer has closed the FIFO.
    @Test func aWriterThatGoesTooEarly() throws {
        let job = try FileJob(.decrypt)
        try job.folder.makeFIFO("fifo")
        for (bytes, code) in [
            (Array(job.sourceBytes.dropLast(16)), CryptorError.Code.authenticationFailed), ([], .invalidMessageLength),
        ] {
            let writer = PipeWriter(bytes, intoFIFO: job.folder.path("fifo"))
            #expect(try caughtError { try job.run(from: job.path("fifo")) }?.code == code)
            #expect(try job.folder.names() == ["fifo", "source"])
            withExtendedLifetime(writer) {}
        }
    }

    // MARK: Regular files that are open

    /// The bytes before the descriptor's position are not part of either file.
    @Test(arguments: FileTask.allCases, [0, 1, 300_000, 1_200_000]) func atAnOffset(task: FileTask, byteCount: Int)
        throws
    {
        let job = try FileJob(task, byteCount: byteCount)
        let before = LongBytes.bytes(1234, from: 99)
        try job.folder.write(before + job.sourceBytes, to: "source")
        for flags in [O_WRONLY, O_WRONLY | O_APPEND] {
            try job.folder.write(before, to: "destination")
            try job.folder.withDescriptor(of: "source", O_RDONLY) { source in
                try job.folder.withDescriptor(of: "destination", flags) { destination in
                    #expect(lseek(source, 1234, SEEK_SET) == 1234)
                    #expect(lseek(destination, 1234, SEEK_SET) == 1234)
                    try job.run(from: .descriptor(source), to: .descriptor(destination))
                }
            }
            let written = try job.folder.read("destination")
            #expect(firstDifference(written.prefix(1234), before) == nil)
            #expect(try job.flaw(in: Array(written.dropFirst(1234))) == nil, "\(SeededGenerator())")
        }
    }

    /// The position is left behind what was read, as other programs do, so that the next one can read on from there.
    @Test(arguments: Role.sources, [0, 77]) func thePositionAfterwards(role: Role, start: Int) throws {
        for byteCount in [0, 1000, 1_200_000] {
            let job = try FileJob(role == .encryptFrom ? .encrypt : .decrypt, byteCount: byteCount)
            try job.folder.write(LongBytes.bytes(start) + job.sourceBytes, to: "source")
            let position = try job.folder.withDescriptor(of: "source", O_RDONLY) { file in
                try #require(lseek(file, off_t(start), SEEK_SET) == start)
                try role.run(job, FileEndpoint.descriptor(file))
                return Int(lseek(file, 0, SEEK_CUR))
            }
            let comment: Comment = "\(byteCount) bytes"
            switch role {
            // A `VerifiedFile` goes on reading, and leaves the position to the caller.
            case .open: #expect(position == start, comment)
            // The start of a large message is enough.
            case .inspect where byteCount == 1_200_000:
                #expect(start < position && position < start + byteCount, comment)
            default: #expect(position == start + job.sourceBytes.count, comment)
            }
        }
    }

    /// A process that lacks descriptors 0 to 2, and writes to them, does not write into the library's files.
    @Test func lowDescriptorsAreNotTaken() throws {
        let folder = try TemporaryFolder()
        let lines = try ProbeProcess(["low-descriptors", folder.path]).finish()
        #expect(lines == ["taken: 0, right: true"])
    }

    // MARK: Files that are not on a disk

    private func encrypted(_ source: FileEndpoint, progress: FileProgress.Handler? = nil) throws -> [UInt8] {
        let job = try FileJob(.encrypt)
        try job.run(from: source, progress: progress)
        return try Cryptor.decrypt(job.folder.read("destination"), with: job.credential)
    }

    /// Files of the kernel report a length of 0, and are read to their end all the same.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/version")),
        arguments: ["/proc/version", "/proc/filesystems", "/proc/cmdline", "/proc/kallsyms"])
    func filesOfTheKernel(path: String) throws {
        let file = try #require(FileHandle(forReadingAtPath: path))
        let expected = [UInt8](try #require(try file.readToEnd()))
        try #require(!expected.isEmpty)
        // Some say how long they are.
        let found = try encrypted(.path(path)) { #expect([nil, expected.count].contains($0.totalBytes), "\($0)") }
        #expect(firstDifference(found, expected) == nil)
    }

    @Test func emptySources() throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "empty")
        try folder.write([1, 2, 3], to: "file")
        for path in ["/dev/null", folder.path("empty")] { #expect(try encrypted(.path(path)).isEmpty) }
        for offset: off_t in [3, 100] {
            let found = try folder.withDescriptor(of: "file", O_RDONLY) { file in
                #expect(lseek(file, offset, SEEK_SET) == offset)
                return try encrypted(.descriptor(file))
            }
            #expect(found.isEmpty, "at \(offset)")
        }
        let error = try caughtError { try FileJob(.decrypt).run(from: .path("/dev/null")) }
        #expect(error?.code == .invalidMessageLength && error?.path == "/dev/null")
    }

    private static let hasFullDevice = FileManager.default.isWritableFile(atPath: "/dev/full")

    /// The full device refuses the first byte. A message that is forged at its end must be refused before that. Only the
    /// null device, which forgets everything, needs just one pass.
    @Test(.enabled(if: hasFullDevice)) func devices() throws {
        let job = try FileJob(.decrypt, byteCount: 1_500_000)
        for (path, passes) in [("/dev/null", 1), ("/dev/zero", 2)] {
            var totals: Set<Int?> = []
            try job.run(to: .path(path)) { totals.insert($0.totalBytes) }
            #expect(totals == [passes * job.sourceBytes.count], "\(path)")
            #expect(
                try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
                    == .typeCharacterSpecial)
        }
        let last = job.sourceBytes.count - 1
        try job.folder.alter("source", last..<last + 1)
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(device) }
        for full in [FileEndpoint.path("/dev/full"), .descriptor(device)] {
            let error = try caughtError { try job.run(to: full) }
            #expect(error?.code == .authenticationFailed && error?.path == job.source.description)
        }
    }
}
