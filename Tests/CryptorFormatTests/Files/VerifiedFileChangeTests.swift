import CCryptorProbe
import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// The message file is changed after it was opened.
@Suite struct VerifiedFileChangeTests {
    private static let segment = 64 * 1024
    private static let headerByteCount = 18

    /// The error of reading `range` after a byte of the message was altered.
    private func code(afterAltering offset: Int, of message: MessageOnDisk, reading range: Range<Int>) throws
        -> CryptorError.Code?
    {
        let file = try message.open()
        try message.alter(offset..<offset + 1)
        defer { try? message.restore(offset..<offset + 1) }
        return try caughtError { _ = try file.read(range) }?.code
    }

    /// A change to any byte of a short second segment, or of the block before it, is refused.
    @Test func everyByteOfASegment() throws {
        let message = try MessageOnDisk(plaintextByteCount: Self.segment + 1000)
        let start = Self.headerByteCount + Self.segment
        // 1,000 bytes are 62 blocks, and 8 bytes of the last block, which is not read again.
        for offset in start - 16..<start + 992 {
            let code = try code(afterAltering: offset, of: message, reading: Self.segment..<Self.segment + 1)
            #expect(code == .authenticationFailed, "byte \(offset - start) of the segment")
        }
        for offset in [start - 17, start + 992] {
            let code = try code(afterAltering: offset, of: message, reading: Self.segment..<Self.segment + 1000)
            #expect(code == nil, "byte \(offset - start) is not part of the segment")
        }
    }

    @Test func bytesOfAFullSegmentAndTheIV() throws {
        let message = try MessageOnDisk(plaintextByteCount: 2 * Self.segment)
        var generator = SeededGenerator()
        let segment = Self.headerByteCount..<Self.headerByteCount + Self.segment
        let offsets =
            [segment.lowerBound, segment.upperBound - 1] + (2..<18)
            + (0..<200).map { _ in segment.randomElement(using: &generator)! }
        for offset in offsets {
            let code = try code(afterAltering: offset, of: message, reading: 30_000..<30_010)
            #expect(code == .authenticationFailed, "byte \(offset), \(generator)")
        }
    }

    /// A segment from another place, or from another message under the same keys, is refused.
    @Test func segmentsInOtherPlaces() throws {
        let message = try MessageOnDisk(plaintextByteCount: 4 * Self.segment)
        let other = try Cryptor.encrypt(message.plaintext, with: message.credential)
        func bytes(_ index: Int, of bytes: [UInt8]) -> [UInt8] {
            // The block before the segment is copied with it, so that only the place is wrong.
            let start = Self.headerByteCount + index * Self.segment
            return Array(bytes[start - 16..<start + Self.segment])
        }
        for replacement in [bytes(1, of: message.bytes), bytes(2, of: other)] {
            let file = try message.open()
            try message.folder.write(
                replacement, to: MessageOnDisk.name, at: Self.headerByteCount + 2 * Self.segment - 16)
            #expect(throws: CryptorError.self) { try file.read(2 * Self.segment..<3 * Self.segment) }
            try message.folder.write(message.bytes, to: MessageOnDisk.name)
        }
    }

    @Test(arguments: PartInterface.allCases)
    func aChangedFileStaysRefused(interface: PartInterface) throws {
        let message = try MessageOnDisk(plaintextByteCount: 3 * Self.segment)
        let file = try message.open()
        let changed = Self.headerByteCount + Self.segment + 5
        try message.alter(changed..<changed + 1)
        let first = 0..<Self.segment - 16
        #expect(try interface.read(first, of: file) == Array(message.plaintext[first]), "this part is as it was")
        for range in [Self.segment..<Self.segment + 1, 0..<3 * Self.segment, first] {
            let error = try caughtError { _ = try interface.read(range, of: file) }
            #expect(error?.code == .authenticationFailed, "\(range)")
            #expect(error?.path == message.path)
            #expect(error?.fileOperation == .readingInput)
        }
        try message.restore(changed..<changed + 1)
        #expect(try caughtError { _ = try interface.read(first, of: file) }?.code == .authenticationFailed)
        #expect(try message.open().read(0..<10) == Array(message.plaintext[..<10]), "opened anew, it is read")
    }

    enum Change: CaseIterable, Sendable {
        case truncated, truncatedByOne, emptied, extended, replaced, removed, header, lastBlock, trailer

        /// The error of reading the last segment; nil if it is read.
        var code: CryptorError.Code? {
            switch self {
            case .truncated, .truncatedByOne, .emptied: .authenticationFailed
            default: nil
            }
        }

        func apply(to message: MessageOnDisk) throws {
            let (folder, name, end) = (message.folder, MessageOnDisk.name, message.bytes.count)
            switch self {
            case .truncated: try folder.truncate(name, to: end / 2)
            case .truncatedByOne: try folder.truncate(name, to: end - 49)
            case .emptied: try folder.truncate(name, to: 0)
            case .extended: try folder.append([1, 2, 3], to: name)
            case .replaced:
                try folder.write([1], to: "other")
                try folder.rename("other", to: name)
            case .removed: try folder.rename(name, to: "elsewhere")
            case .header: try message.alter(0..<2)
            case .lastBlock: try message.alter(end - 48..<end - 32)
            case .trailer: try message.alter(end - 32..<end)
            }
        }
    }

    /// A read returns what was verified, or nothing.
    @Test(arguments: Change.allCases)
    func ofTheWholeFile(change: Change) throws {
        let message = try MessageOnDisk(plaintextByteCount: 2 * Self.segment + 1000)
        let file = try message.open()
        try change.apply(to: message)
        let range = 2 * Self.segment..<2 * Self.segment + 1000
        var found: [UInt8]?
        let error = try caughtError { found = try file.read(range) }
        #expect(error?.code == change.code)
        #expect(found == (change.code == nil ? Array(message.plaintext[range]) : nil))
    }

    #if os(Linux)
    /// The system may read fewer bytes than it was asked for, at any place.
    @Test(arguments: [1000, 4096, 65_535, 65_551])
    func readsThatGiveLittleAtATime(most: Int) throws {
        let message = try MessageOnDisk(plaintextByteCount: 3 * Self.segment + 5)
        probe_read_badly(most, 0)
        defer { probe_read_badly(0, 0) }
        let file = try message.open()
        for range in [0..<1, Self.segment - 1..<Self.segment + 1, 0..<message.plaintext.count] {
            #expect(firstDifference(try file.read(range), message.plaintext[range]) == nil, "\(range)")
        }
    }

    @Test(arguments: [EIO, ESTALE])
    func aReadThatFails(error number: CInt) throws {
        let message = try MessageOnDisk(plaintextByteCount: 1000)
        let file = try message.open()
        probe_read_badly(0, number)
        defer { probe_read_badly(0, 0) }
        let error = try caughtError { _ = try file.read(0..<10) }
        #expect(error?.code == .inputOutput)
        #expect(error?.systemErrorNumber == number)
        #expect(try caughtError { _ = try message.open() }?.systemErrorNumber == number)
        probe_read_badly(0, 0)
        #expect(try file.read(0..<10) == Array(message.plaintext[..<10]), "it was the disk's failure, not the file's")
    }
    #endif

    /// An open file takes only one descriptor: a service may have hundreds of them.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func oneDescriptor() throws {
        let message = try MessageOnDisk(plaintextByteCount: 1000)
        let real = URL(fileURLWithPath: message.path).resolvingSymlinksInPath().path
        let folder = String(real.prefix(through: real.lastIndex(of: "/")!))
        let file = try message.open()
        let paths = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(paths.filter { ($0 + "/").hasPrefix(folder) } == [real])
        #expect(try file.read(0..<10) == Array(message.plaintext[..<10]))
    }
}
