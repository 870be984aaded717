import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct FileDescriptorTests {
    private let folder: TemporaryFolder
    private let bytes = Array("0123456789".utf8)

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(bytes, to: "file")
    }

    private func read(_ file: borrowing FileDescriptor, upTo count: Int) throws -> [UInt8] {
        var read: [UInt8] = []
        try read.appendBytes(capacity: count) { (output) throws(SystemError) in
            let received = try file.read(upTo: count, into: &output)
            precondition(received == output.byteCount)
        }
        return read
    }

    private func read(_ file: borrowing FileDescriptor, upTo count: Int, at offset: Int) throws -> [UInt8] {
        var read: [UInt8] = []
        try read.appendBytes(capacity: count) { (output) throws(SystemError) in
            let received = try file.read(upTo: count, at: offset, into: &output)
            precondition(received == output.byteCount)
        }
        return read
    }

    private func write(_ bytes: [UInt8], to file: borrowing FileDescriptor) throws -> Int {
        try withRawSpan(of: bytes) { (bytes) throws(SystemError) in try file.write(bytes) }
    }

    @Test func readingMovesThePosition() throws {
        let file = try FileDescriptor.open(folder.filePath("file"), for: .read)
        #expect(try read(file, upTo: 4) == Array("0123".utf8))
        #expect(file.position() == 4)
        #expect(try read(file, upTo: 100) == Array("456789".utf8))
        #expect(try read(file, upTo: 100) == [])
        #expect(try file.status().byteCount == 10)
    }

    @Test func readingAtAnOffsetLeavesThePosition() throws {
        let file = try FileDescriptor.open(folder.filePath("file"), for: .read)
        #expect(try read(file, upTo: 1) == Array("0".utf8))
        #expect(try read(file, upTo: 3, at: 5) == Array("567".utf8))
        #expect(try read(file, upTo: 3, at: 9) == Array("9".utf8))
        #expect(try read(file, upTo: 3, at: 10) == [])
        #expect(file.position() == 1)
        #expect(try read(file, upTo: 1) == Array("1".utf8))
    }

    @Test func readingAppends() throws {
        let file = try FileDescriptor.open(folder.filePath("file"), for: .read)
        var read = Array("before ".utf8)
        try read.appendBytes(capacity: 10) { (output) throws(SystemError) in
            _ = try file.read(upTo: 2, into: &output)
            _ = try file.read(upTo: 3, at: 7, into: &output)
        }
        #expect(read == Array("before 01789".utf8))
    }

    @Test func writingNeitherCreatesNorTruncates() throws {
        do {
            let file = try FileDescriptor.open(folder.filePath("file"), for: .write)
            #expect(try write([65, 66], to: file) == 2)
            #expect(file.position() == 2)
        }
        #expect(try folder.read("file") == Array("AB23456789".utf8))
        let error = #expect(throws: SystemError.self) {
            _ = try FileDescriptor.open(folder.filePath("nothing"), for: .write)
        }
        #expect(error?.number == ENOENT)
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
        let read = try FileDescriptor.open(folder.filePath("file"), for: .read)
        let write = try FileDescriptor.open(folder.filePath("file"), for: .write)
        let duplicate = try FileDescriptor.duplicate(read.rawValue)
        for number in [read.rawValue, write.rawValue, duplicate.rawValue] {
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test func modesAreSetWithoutTheMask() throws {
        let file = try FileDescriptor.open(folder.filePath("file"), for: .read)
        for mode: mode_t in [0o666, 0o600] {
            try file.setMode(mode)
            #expect(try folder.mode(of: "file") == mode)
            #expect(try file.status().mode == mode)
        }
    }

    @Test func timesAreThoseOfTheOtherFile() throws {
        try folder.write([1], to: "other")
        let times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789), timespec(tv_sec: 5, tv_nsec: 6)]
        try #require(utimensat(AT_FDCWD, folder.path("other"), times, 0) == 0)
        let other = try FileDescriptor.open(folder.filePath("other"), for: .read).status()
        let file = try FileDescriptor.open(folder.filePath("file"), for: .write)
        try file.setTimes(of: other)
        let status = try file.status()
        #expect(status.accessed == .init(value: times[0]) && status.modified == .init(value: times[1]), "\(status)")
    }

    @Test func pipesHaveNoPositionAndNeedNoSynchronization() throws {
        let reader = try PipeReader()
        let pipe = FileDescriptor(borrowing: try #require(reader.writeEnd))
        #expect(pipe.position() == nil)
        #expect(try pipe.status().kind == .fifo)
        try pipe.synchronize()
        try FileDescriptor.open(FilePath("/dev/null"), for: .write).synchronize()
        try FileDescriptor.open(folder.filePath("file"), for: .write).synchronize()
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

    /// Opening a FIFO waits neither for a writer nor for a reader.
    @Test func openingWaitsForNobody() throws {
        try folder.makeFIFO("fifo")
        let error = #expect(throws: SystemError.self) {
            _ = try FileDescriptor.open(folder.filePath("fifo"), for: .write)
        }
        #expect(error?.number == ENXIO)
        let reader = try FileDescriptor.open(folder.filePath("fifo"), for: .read)
        #expect(try !reader.wait(forReading: true, milliseconds: 1), "it looks as if somebody had written")
        do {
            let writer = try FileDescriptor.open(folder.filePath("fifo"), for: .write)
            #expect(try !reader.wait(forReading: true, milliseconds: 1))
            #expect(throws: SystemError(number: EAGAIN)) { try read(reader, upTo: 1) }
            #expect(try write([7], to: writer) == 1)
            #expect(try reader.wait(forReading: true, milliseconds: -1))
            #expect(try read(reader, upTo: 2) == [7])
        }
        // The writer has gone, so the wait must end: nobody would end it later.
        #expect(try reader.wait(forReading: true, milliseconds: -1))
        #expect(try read(reader, upTo: 1) == [])
    }

    @Test func thePositionCanBeMoved() throws {
        let file = try FileDescriptor.open(folder.filePath("file"), for: .read)
        file.setPosition(7)
        #expect(file.position() == 7)
        #expect(try read(file, upTo: 9) == Array("789".utf8))
    }

    @Test func thereIsRoom() throws {
        let file = try FileDescriptor.open(folder.filePath("file"), for: .read)
        #expect(try file.freeByteCount() > 0)
        // A file system without a size has no bound.
        #expect(try FileDescriptor.open(FilePath("/proc/self/status"), for: .read).freeByteCount() == .max)
    }

    @Test func aClosedDescriptorIsAnError() {
        let file = FileDescriptor(borrowing: -1)
        #expect(file.position() == nil)
        #expect(throws: SystemError(number: EBADF)) { try read(file, upTo: 1) }
        #expect(throws: SystemError(number: EBADF)) { try read(file, upTo: 1, at: 0) }
        #expect(throws: SystemError(number: EBADF)) { try write([1], to: file) }
        #expect(throws: SystemError(number: EBADF)) { try file.status() }
        #expect(throws: SystemError(number: EBADF)) { try file.setMode(0o600) }
        #expect(throws: SystemError(number: EBADF)) { try file.synchronize() }
        #expect(throws: SystemError(number: EBADF)) { try file.freeByteCount() }
    }
}
