import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct FileDescriptorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Array("0123456789".utf8), to: "file")
    }

    /// - Parameter offset: nil for the file's position.
    private func read(_ file: borrowing FileDescriptor, upTo count: Int, at offset: Int? = nil) throws -> String {
        var read = Array("=".utf8)
        try read.appendBytes(capacity: count) { (output) throws(SystemError) in
            let received =
                if let offset { try file.read(upTo: count, at: offset, into: &output) } else {
                    try file.read(upTo: count, into: &output)
                }
            precondition(received == output.byteCount)
        }
        return String(decoding: read, as: UTF8.self)
    }

    private func write(_ bytes: [UInt8], to file: borrowing FileDescriptor) throws -> Int {
        try withRawSpan(of: bytes) { (bytes) throws(SystemError) in try file.write(bytes) }
    }

    /// Reading appends, and moves the position unless it is from an offset.
    @Test func reading() throws {
        let file = try folder.file("file")
        #expect(try read(file, upTo: 4) == "=0123")
        #expect(try read(file, upTo: 3, at: 7) == "=789" && read(file, upTo: 3, at: 9) == "=9")
        #expect(try read(file, upTo: 3, at: 10) == "=")
        #expect(file.position() == 4)
        #expect(try read(file, upTo: 100) == "=456789" && read(file, upTo: 100) == "=")
        file.setPosition(7)
        #expect(try file.position() == 7 && read(file, upTo: 9) == "=789")
        #expect(try file.status().byteCount == 10)
    }

    @Test func writingNeitherCreatesNorTruncates() throws {
        do {
            let file = try folder.file("file", for: .write)
            #expect(try write([65, 66], to: file) == 2)
            #expect(file.position() == 2)
            try file.synchronize()
        }
        #expect(try folder.read("file") == Array("AB23456789".utf8))
        #expect(throws: SystemError(number: ENOENT)) { _ = try folder.file("nothing", for: .write) }
        #expect(!folder.exists("nothing"))
    }

    @Test func ownedDescriptorsAreClosedAndBorrowedOnesAreNot() throws {
        try folder.withDescriptor(of: "file", O_RDONLY) { number in
            do {
                let borrowed = FileDescriptor(borrowing: number)
                #expect(borrowed.position() == 0)
            }
            #expect(fcntl(number, F_GETFD) >= 0)
        }
        // Another thread may get the number at once, so the other end of a pipe shows whether the descriptor is closed.
        let reader = try PipeReader()
        let writeEnd = try #require(reader.writeEnd)
        do {
            let owned = FileDescriptor(owning: dup(writeEnd))
            #expect(try write([1], to: owned) == 1)
        }
        #expect(try reader.finish() == [1])
    }

    @Test func descriptorsAreNotPassedToOtherProgrammes() throws {
        let (read, write) = (try folder.file("file").release(), try folder.file("file", for: .write).release())
        for number in [read, write, try FileDescriptor.duplicate(read).release()] {
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
            close(number)
        }
    }

    @Test func modesAreSetWithoutTheMask() throws {
        let file = try folder.file("file")
        for mode: mode_t in [0o666, 0o600] {
            try file.setMode(mode)
            #expect(try folder.mode(of: "file") == mode && file.status().mode == mode)
        }
    }

    @Test func timesAreThoseOfTheOtherFile() throws {
        try folder.write([1], to: "other")
        let times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789), timespec(tv_sec: 5, tv_nsec: 6)]
        try #require(utimensat(AT_FDCWD, folder.path("other"), times, 0) == 0)
        let file = try folder.file("file", for: .write)
        try file.setTimes(of: try folder.file("other").status())
        let status = try file.status()
        #expect(status.accessed == .init(value: times[0]) && status.modified == .init(value: times[1]), "\(status)")
    }

    @Test func pipesHaveNoPositionAndNeedNoSynchronization() throws {
        let reader = try PipeReader()
        let pipe = FileDescriptor(borrowing: try #require(reader.writeEnd))
        #expect(pipe.position() == nil)
        #expect(try pipe.status().kind == .fifo)
        try pipe.synchronize()
        try Folder.open(FilePath("/dev")).open(FilePath("null"), for: .write, following: true).synchronize()
    }

    @Test func aFullPipeIsWaitedFor() throws {
        let reader = try PipeReader()
        let number = try #require(reader.writeEnd)
        try #require(fcntl(number, F_SETFL, O_NONBLOCK) == 0)
        let pipe = FileDescriptor(borrowing: number)
        let chunk = [UInt8](repeating: 7, count: 100_000)
        var (written, waits) = (0, 0)
        while written < 10 * chunk.count {
            do {
                written += try write(chunk, to: pipe)
            } catch let error as SystemError where error.number == EAGAIN {
                waits += 1
                #expect(try pipe.wait(forReading: false, milliseconds: -1))
            }
        }
        #expect(try reader.finish().count == written, "\(waits) waits")
    }

    /// The end of a wait for a FIFO: there is something to read, or its last writer has gone.
    @Test func waitingForAWriter() throws {
        try folder.makeFIFO("fifo")
        let here = try Folder.open(folder.filePath("."))
        let reader = try here.open(FilePath("fifo"), for: .read, following: true, waiting: false)
        #expect(try !reader.wait(forReading: true, milliseconds: 1), "it looks as if somebody had written")
        do {
            let writer = try folder.file("fifo", for: .write)
            #expect(try !reader.wait(forReading: true, milliseconds: 1))
            #expect(throws: SystemError(number: EAGAIN)) { try read(reader, upTo: 1) }
            #expect(try write([55], to: writer) == 1)
            #expect(try reader.wait(forReading: true, milliseconds: -1))
            #expect(try read(reader, upTo: 2) == "=7")
        }
        #expect(try reader.wait(forReading: true, milliseconds: -1))
        #expect(try read(reader, upTo: 1) == "=")
    }

    @Test func thereIsRoom() throws {
        #expect(try folder.file("file").freeByteCount() > 0)
        // A file system without a size has no bound.
        let process = try Folder.open(FilePath("/proc/self")).open(FilePath("status"), for: .read, following: true)
        #expect(try process.freeByteCount() == .max)
    }

    @Test func aClosedDescriptorIsAnError() {
        let file = FileDescriptor(borrowing: -1)
        let closed = SystemError(number: EBADF)
        #expect(file.position() == nil)
        #expect(throws: closed) { try read(file, upTo: 1) }
        #expect(throws: closed) { try read(file, upTo: 1, at: 0) }
        #expect(throws: closed) { try write([1], to: file) }
        #expect(throws: closed) { try file.status() }
        #expect(throws: closed) { try file.setMode(0o600) }
        #expect(throws: closed) { try file.synchronize() }
        #expect(throws: closed) { try file.freeByteCount() }
    }
}
