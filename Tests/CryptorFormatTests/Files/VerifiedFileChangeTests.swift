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
    private func code(afterAltering offset: Int, of job: FileJob, reading range: Range<Int>) throws
        -> CryptorError.Code?
    {
        let file = try job.verified()
        try job.directory.write([job.sourceBytes[offset] ^ 1], to: "source", at: offset)
        defer { try? job.directory.write([job.sourceBytes[offset]], to: "source", at: offset) }
        return try caughtError { _ = try file.read(range) }?.code
    }

    /// A change to any byte of a short second segment, or of the block before it, is refused. So is
    /// one to the IV or to a byte of a full segment.
    @Test func everyByteOfASegment() throws {
        let job = try FileJob(.decrypt, byteCount: Self.segment + 200)
        let start = Self.headerByteCount + Self.segment
        // 200 bytes are 12 blocks, and 8 bytes of the last block, which is not read again.
        for offset in start - 16..<start + 192 {
            let code = try code(
                afterAltering: offset, of: job, reading: Self.segment..<Self.segment + 1)
            #expect(code == .authenticationFailed, "byte \(offset - start) of the segment")
        }
        for offset in [start - 17, start + 192] {
            let code = try code(
                afterAltering: offset, of: job, reading: Self.segment..<Self.segment + 200)
            #expect(code == nil, "byte \(offset - start) is not part of the segment")
        }
        var generator = SeededGenerator()
        let some = (0..<100).map { _ in Int.random(in: 18..<start, using: &generator) }
        for offset in Array(2...18) + [start - 1] + some {
            let code = try code(afterAltering: offset, of: job, reading: 30_000..<30_010)
            #expect(code == .authenticationFailed, "byte \(offset), \(generator)")
        }
    }

    /// A segment from another place, or from another message under the same keys, is refused.
    @Test(arguments: [false, true]) func segmentsInOtherPlaces(ofAnother: Bool) throws {
        let job = try FileJob(.decrypt, byteCount: 4 * Self.segment)
        let other = try Cryptor.encrypt(job.plaintext, with: job.credential)
        let file = try job.verified()
        // The block before the segment is copied with it, so that only the place, or the message,
        // is wrong.
        let start = Self.headerByteCount + 2 * Self.segment - 16
        let from = ofAnother ? start : start - Self.segment
        let replacement = (ofAnother ? other : job.sourceBytes)[from..<from + 16 + Self.segment]
        try job.directory.write(Array(replacement), to: "source", at: start)
        let error = try caughtError { _ = try file.read(2 * Self.segment..<3 * Self.segment) }
        #expect(error?.code == .authenticationFailed)
    }

    @Test func aChangedFileStaysRefused() throws {
        let job = try FileJob(.decrypt, byteCount: 3 * Self.segment)
        let file = try job.verified()
        let changed = Self.headerByteCount + Self.segment + 5
        try job.directory.alter("source", changed..<changed + 1)
        let first = 0..<Self.segment - 16
        #expect(try file.read(first) == Array(job.plaintext[first]), "this part is as it was")
        for range in [Self.segment..<Self.segment + 1, 0..<3 * Self.segment, first] {
            let error = try caughtError { _ = try file.read(range) }
            #expect(error?.code == .authenticationFailed, "\(range)")
            #expect(error?.path == job.source.description && error?.fileOperation == .readingInput)
        }
        try job.directory.alter("source", changed..<changed + 1)
        #expect(try caughtError { _ = try file.read(first) }?.code == .authenticationFailed)
        #expect(
            try job.verified().read(0..<10) == Array(job.plaintext[..<10]),
            "opened anew, it is read")
    }

    /// What is done to the file, and the error of reading its last segment: it returns what was
    /// verified, or nothing.
    private static let changes: [(change: String, code: CryptorError.Code?)] = [
        ("truncated", .authenticationFailed), ("a block shorter", .authenticationFailed),
        ("emptied", .authenticationFailed),
        ("extended", nil), ("replaced", nil), ("removed", nil), ("another header", nil),
        ("another tail", nil),
    ]

    @Test(arguments: changes) func ofTheWholeFile(change: String, code: CryptorError.Code?) throws {
        let job = try FileJob(.decrypt, byteCount: 2 * Self.segment + 1000)
        let (file, directory, end) = (try job.verified(), job.directory, job.sourceBytes.count)
        switch change {
        case "truncated": try directory.truncate("source", to: end / 2)
        case "a block shorter": try directory.truncate("source", to: end - 49)
        case "emptied": try directory.truncate("source", to: 0)
        case "extended": try directory.append([1, 2, 3], to: "source")
        case "replaced":
            try directory.write([1], to: "other")
            try directory.rename("other", to: "source")
        case "removed": try directory.rename("source", to: "elsewhere")
        case "another header": try directory.alter("source", 0..<2)
        default: try directory.alter("source", end - 48..<end)
        }
        let range = 2 * Self.segment..<2 * Self.segment + 1000
        var found: [UInt8]?
        let error = try caughtError { found = try file.read(range) }
        #expect(error?.code == code)
        #expect(found == (code == nil ? Array(job.plaintext[range]) : nil))
    }

    /// After a failure the file can be read again: it was not the file's.
    @Test func aReadThatFails() throws {
        let job = try FileJob(.decrypt)
        let file = try job.verified()
        let descriptor = try #require(try job.directory.descriptor(openFor: "source"))
        let kept = dup(descriptor)
        defer { close(kept) }
        // Meanwhile, the descriptor is of a file that is open for writing only.
        try job.directory.withDescriptor(of: "source", O_WRONLY) { _ = dup2($0, descriptor) }
        let error = try caughtError { _ = try file.read(0..<10) }
        #expect(error?.code == .inputOutput && error?.systemErrorNumber == EBADF)
        dup2(kept, descriptor)
        #expect(try file.read(0..<10) == Array(job.plaintext[..<10]))
    }

    /// An open file takes only one descriptor: a service may have hundreds of them.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"))
    func oneDescriptor() throws {
        let job = try FileJob(.decrypt)
        let real = URL(fileURLWithPath: job.directory.path).resolvingSymlinksInPath().path
        let file = try job.verified()
        let paths = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap
        {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(paths.filter { ($0 + "/").hasPrefix(real + "/") } == [real + "/source"])
        #expect(try file.read(0..<10) == Array(job.plaintext[..<10]))
    }
}
