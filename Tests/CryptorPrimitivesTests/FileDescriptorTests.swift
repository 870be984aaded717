import Foundation
import TestSupport
import Testing

@testable import CryptorPrimitives

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
        let file = try FileDescriptor.open(folder.path("file"), for: .read)
        #expect(try read(file, upTo: 4) == Array("0123".utf8))
        #expect(file.position() == 4)
        #expect(try read(file, upTo: 100) == Array("456789".utf8))
        #expect(try read(file, upTo: 100) == [])
        #expect(try file.status().byteCount == 10)
    }

    @Test func readingAtAnOffsetLeavesThePosition() throws {
        let file = try FileDescriptor.open(folder.path("file"), for: .read)
        #expect(try read(file, upTo: 1) == Array("0".utf8))
        #expect(try read(file, upTo: 3, at: 5) == Array("567".utf8))
        #expect(try read(file, upTo: 3, at: 9) == Array("9".utf8))
        #expect(try read(file, upTo: 3, at: 10) == [])
        #expect(file.position() == 1)
        #expect(try read(file, upTo: 1) == Array("1".utf8))
    }

    @Test func readingAppends() throws {
        let file = try FileDescriptor.open(folder.path("file"), for: .read)
        var read = Array("before ".utf8)
        try read.appendBytes(capacity: 10) { (output) throws(SystemError) in
            _ = try file.read(upTo: 2, into: &output)
            _ = try file.read(upTo: 3, at: 7, into: &output)
        }
        #expect(read == Array("before 01789".utf8))
    }

    @Test func writingNeitherCreatesNorTruncates() throws {
        do {
            let file = try FileDescriptor.open(folder.path("file"), for: .write)
            #expect(try write([65, 66], to: file) == 2)
            #expect(file.position() == 2)
        }
        #expect(try folder.read("file") == Array("AB23456789".utf8))
        let error = #expect(throws: SystemError.self) {
            _ = try FileDescriptor.open(folder.path("nothing"), for: .write)
        }
        #expect(error?.number == ENOENT)
        #expect(!folder.exists("nothing"))
    }

    @Test func createNewFailsIfTheNameIsTaken() throws {
        do {
            let file = try FileDescriptor.open(folder.path("new"), for: .createNew(mode: 0o600))
            #expect(try write(bytes, to: file) == 10)
            #expect(try read(file, upTo: 2, at: 8) == Array("89".utf8), "it is open for reading, too")
        }
        #expect(try folder.mode(of: "new") == 0o600)
        try folder.symbolicLink("dangling", to: "nothing")
        for name in ["new", "file", "dangling"] {
            let error = #expect(throws: SystemError.self) {
                _ = try FileDescriptor.open(folder.path(name), for: .createNew(mode: 0o600))
            }
            #expect(error?.number == EEXIST, "\(name)")
        }
        #expect(try folder.read("file") == bytes)
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
        // Somebody else may get the number at once: whether it is closed shows at the other end of a pipe.
        let reader = try PipeReader()
        let writeEnd = try #require(reader.writeEnd)
        do {
            let owned = FileDescriptor(owning: dup(writeEnd))
            #expect(try write([1], to: owned) == 1)
        }
        #expect(try reader.finish() == [1])
    }

    @Test func descriptorsAreNotPassedToOtherProgrammes() throws {
        let read = try FileDescriptor.open(folder.path("file"), for: .read)
        let write = try FileDescriptor.open(folder.path("file"), for: .write)
        let new = try FileDescriptor.open(folder.path("new"), for: .createNew(mode: 0o600))
        for number in [read.rawValue, write.rawValue, new.rawValue] {
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        }
        if let anonymous = FileDescriptor.openAnonymous(inFolder: folder.path, mode: 0o600) {
            #expect(fcntl(anonymous.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    /// Not every file system has files without names.
    private static let hasAnonymousFiles =
        FileDescriptor.openAnonymous(inFolder: FileSystem.temporaryFolder, mode: 0o600) != nil

    @Test(.enabled(if: hasAnonymousFiles)) func anonymousFilesHaveNoNameUntilTheyGetOne() throws {
        guard let file = FileDescriptor.openAnonymous(inFolder: folder.path, mode: 0o640) else {
            Issue.record("there are none in \(folder.path)")
            return
        }
        #expect(try write(bytes, to: file) == 10)
        #expect(try folder.names() == ["file"])
        let error = #expect(throws: SystemError.self) { try file.link(to: folder.path("file")) }
        #expect(error?.number == EEXIST)
        try file.link(to: folder.path("linked"))
        #expect(try folder.read("linked") == bytes)
        #expect(try folder.mode(of: "linked") == 0o640 & folder.modeOfNewFiles())
        let opensAnywhere = FileDescriptor.openAnonymous(inFolder: folder.path("nothing"), mode: 0o600) != nil
        #expect(!opensAnywhere)
    }

    @Test func modesAreSetWithoutTheMask() throws {
        let file = try FileDescriptor.open(folder.path("new"), for: .createNew(mode: 0o600))
        try file.setMode(0o666)
        #expect(try folder.mode(of: "new") == 0o666)
        #expect(try file.status().mode == 0o666)
    }

    @Test func pipesHaveNoPositionAndNeedNoSynchronization() throws {
        let reader = try PipeReader()
        let pipe = FileDescriptor(borrowing: try #require(reader.writeEnd))
        #expect(pipe.position() == nil)
        #expect(try pipe.status().kind == .other)
        try pipe.synchronize()
        try FileDescriptor.open("/dev/null", for: .write).synchronize()
        try FileDescriptor.open(folder.path("file"), for: .write).synchronize()
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
                try pipe.wait(forReading: false)
            }
        }
        #expect(try reader.finish().count == written, "\(waits) waits")
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
    }
}
