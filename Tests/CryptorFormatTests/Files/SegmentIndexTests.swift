import CCryptorProbe
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// An index beside a message keeps the result of the message's verification.
@Suite struct SegmentIndexTests {
    private static let segment = 64 * 1024
    /// The length of an index without digests.
    private static let emptyByteCount = 22 + 32 + 32 + 32 + 32

    private func open(_ message: MessageOnDisk, _ index: String = "index") throws -> VerifiedFile {
        try VerifiedFile(at: message.path, with: message.credential, index: message.folder.path(index))
    }

    /// The error of opening and reading all of the message; nil if that gives the plaintext. Other bytes are a defect.
    private func outcome(_ message: MessageOnDisk, _ name: String) -> CryptorError.Code? {
        do {
            let file = try open(message)
            let plaintext = try file.read(0..<file.plaintextByteCount)
            if let difference = firstDifference(plaintext, message.plaintext) {
                Issue.record("\(name): \(difference), known by index: \(file.isKnownByIndex)")
            }
            return nil
        } catch {
            return (error as? CryptorError)?.code
        }
    }

    // MARK: What it is for

    @Test(arguments: try VectorFolder.readable())
    func readable(_ vector: ReadableVector) throws {
        let folder = try TemporaryFolder()
        try folder.write(vector.message, to: "message")
        for isKnown in [false, true, true] {
            let file = try VerifiedFile(
                at: folder.path("message"), with: try vector.credential, accepting: vector.acceptance,
                index: folder.path("index"))
            #expect(file.isKnownByIndex == isKnown, "\(vector)")
            #expect(file.plaintextByteCount == vector.plaintext.count, "\(vector)")
            #expect(vector.header == nil || file.header == vector.header, "\(vector)")
            #expect(try file.read(0..<vector.plaintext.count) == vector.plaintext, "\(vector)")
        }
        #expect(try folder.names() == ["index", "message"])
    }

    @Test(arguments: [0, 1, 15, 16, 17, 65_535, 65_536, 65_551, 65_552, 131_071, 131_072, 131_088, 200_000])
    func lengths(length: Int) throws {
        let message = try MessageOnDisk(plaintextByteCount: length)
        for isKnown in [false, true] {
            let file = try open(message)
            #expect(file.isKnownByIndex == isKnown)
            #expect(try sameBytes(file.read(0..<length), message.plaintext))
        }
        let segments = (length / 16 * 16 + Self.segment - 1) / Self.segment
        #expect(try message.folder.read("index").count == Self.emptyByteCount + 16 * segments)
    }

    @Test func aPoolUsesItToo() async throws {
        let message = try MessageOnDisk(plaintextByteCount: 200_000)
        for isKnown in [false, true] {
            let file = try await CryptorPool.shared.verifiedFile(
                at: message.path, with: message.credential, index: message.folder.path("index"))
            #expect(file.isKnownByIndex == isKnown)
            #expect(try sameBytes(file.read(0..<200_000), message.plaintext))
        }
    }

    /// Several tasks may open one message at once: each uses the index that is there, or writes one in its place.
    @Test func severalAtOnce() async throws {
        let message = try MessageOnDisk(plaintextByteCount: 1_000_000)
        let (path, index, credential) = (message.path, message.folder.path("index"), message.credential)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await CryptorPool.shared.verifiedFile(at: path, with: credential, index: index)
                        .plaintextByteCount
                }
            }
            for try await count in group { #expect(count == 1_000_000) }
        }
        #expect(try open(message).isKnownByIndex)
        #expect(try message.folder.names() == ["index", "message"])
    }

    // MARK: What it must not do

    @Test func anyBitOfItFlipped() throws {
        let message = try MessageOnDisk(plaintextByteCount: 100_000)
        _ = try open(message)
        let index = try message.folder.read("index")
        for offset in index.indices {
            var altered = index
            altered[offset] ^= 1 << UInt8(offset % 8)
            try message.folder.write(altered, to: "index")
            // A file that does not begin like an index is somebody's own file, and stays.
            let isForeign = offset < 22
            #expect(outcome(message, "byte \(offset)") == (isForeign ? .destinationExists : nil), "byte \(offset)")
            #expect(try message.folder.read("index") != altered || isForeign, "byte \(offset)")
        }
    }

    @Test func cutOffOrLonger() throws {
        let message = try MessageOnDisk(plaintextByteCount: 100_000)
        _ = try open(message)
        let index = try message.folder.read("index")
        for count in 0...index.count + 33 {
            let other = Array((index + [UInt8](repeating: 0, count: 33)).prefix(count))
            try message.folder.write(other, to: "index")
            let file = try open(message)
            #expect(file.isKnownByIndex == (count == index.count), "\(count) bytes")
            #expect(try open(message).isKnownByIndex, "\(count) bytes: written anew")
        }
    }

    /// If the index, the message or both are altered, the result is an error or the plaintext.
    @Test func aThousandAlterations() throws {
        let message = try MessageOnDisk(plaintextByteCount: 3 * Self.segment + 100)
        _ = try open(message)
        let index = try message.folder.read("index")
        var generator = SeededGenerator()
        func altered(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8.random(
                    in: 1...255, using: &generator)
            case 1:
                // Bytes are copied to another place.
                let count = Int.random(in: 1...min(bytes.count, 100), using: &generator)
                let (from, to) = (
                    Int.random(in: 0...bytes.count - count, using: &generator),
                    Int.random(in: 0...bytes.count - count, using: &generator)
                )
                bytes.replaceSubrange(to..<to + count, with: Array(bytes[from..<from + count]))
            case 2: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            case 3: bytes += (0..<Int.random(in: 1...64, using: &generator)).map { _ in 0 }
            default: bytes.swapAt(bytes.count - 1, Int.random(in: 0..<bytes.count, using: &generator))
            }
            return bytes
        }
        var plaintexts = 0
        for round in 0..<1000 {
            let which = Int.random(in: 0..<3, using: &generator)
            try message.folder.write(which == 0 ? message.bytes : altered(message.bytes), to: MessageOnDisk.name)
            try message.folder.write(which == 1 ? index : altered(index), to: "index")
            let code = outcome(message, "round \(round), \(generator)")
            if code == nil { plaintexts += 1 }
        }
        #expect(plaintexts > 100, "an altered index alone costs a verification")
    }

    /// The index of another message of the same length is not used, and no index opens a message under other keys.
    @Test func anotherMessagesIndex() throws {
        let message = try MessageOnDisk(plaintextByteCount: 100_000)
        let other = try Cryptor.encrypt(LongBytes.bytes(100_000), with: message.credential)
        try message.folder.write(other, to: "other")
        _ = try VerifiedFile(
            at: message.folder.path("other"), with: message.credential, index: message.folder.path("index"))
        let file = try open(message)
        #expect(!file.isKnownByIndex)
        #expect(try open(message).isKnownByIndex)
        // The message is replaced by the other one, whose header and end do not fit the index.
        try message.folder.write(other, to: MessageOnDisk.name)
        #expect(try !open(message).isKnownByIndex)
        let keys = try FileJob.keys(2)
        #expect(throws: CryptorError.self) {
            try VerifiedFile(at: message.path, with: keys, index: message.folder.path("index"))
        }
    }

    /// A part that was changed is refused when it is read, and the other parts are not.
    @Test func aMessageThatWasChangedSince() throws {
        let message = try MessageOnDisk(plaintextByteCount: 3 * Self.segment)
        _ = try open(message)
        let offset = 18 + Self.segment + 5
        try message.alter(offset..<offset + 1)
        let file = try open(message)
        #expect(file.isKnownByIndex, "nothing but the ends has been read")
        #expect(try file.read(0..<100) == Array(message.plaintext[..<100]))
        #expect(try caughtError { _ = try file.read(Self.segment..<Self.segment + 1) }?.code == .authenticationFailed)
    }

    /// If the end of the message is altered around the verification, the index vouches only for what was verified.
    @Test func whatTheHMACDidNotSee() throws {
        for tail in [1, 40, 60] {
            let message = try MessageOnDisk(plaintextByteCount: 3_000_000)
            let end = message.bytes.count - tail..<message.bytes.count - tail + 1
            // The end is altered when it is first read, and restored before it is verified.
            try message.alter(end)
            _ = try VerifiedFile(
                at: message.path, with: message.credential, index: message.folder.path("index"), concurrency: .serial
            ) { _ in try message.restore(end) }
            #expect(try open(message).isKnownByIndex, "\(tail)")
            // The end is altered after it was verified.
            try message.alter(end)
            #expect(outcome(message, "\(tail)") == .authenticationFailed)
        }
    }

    // MARK: What is in its place

    @Test func whatIsNoIndexIsNotTouched() throws {
        let message = try MessageOnDisk(plaintextByteCount: 1000)
        let folder = message.folder
        try folder.write(Array("Dear diary".utf8), to: "diary")
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "message")
        try FileManager.default.linkItem(atPath: message.path, toPath: folder.path("second name"))
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let names = try folder.names()
        let expected: [(String, CryptorError.Code)] = [
            ("diary", .destinationExists), ("folder", .inputOutput), ("message", .sameFile), ("link", .sameFile),
            ("second name", .sameFile), ("pipe", .inputOutput), ("missing/index", .inputOutput),
        ]
        for (name, code) in expected {
            let error = try caughtError { _ = try open(message, name) }
            #expect(error?.code == code, "\(name)")
            #expect(error?.path == folder.path(name), "\(name)")
        }
        let error = try caughtError {
            _ = try VerifiedFile(at: message.path, with: message.credential, index: FileEndpoint.standardOutput)
        }
        #expect(error?.code == .invalidPath)
        #expect(try folder.names() == names)
        #expect(try folder.read("diary") == Array("Dear diary".utf8))
        #expect(try folder.read("message") == message.bytes)
    }

    /// A file that somebody saves under the index's name while the message is verified stays.
    @Test(arguments: [false, true])
    func whatIsSavedMeanwhileStays(isThere: Bool) throws {
        let message = try MessageOnDisk(plaintextByteCount: 3_000_000)
        let folder = message.folder
        if isThere { try folder.write(Array("CryptorFormat index 1\n".utf8), to: "index") }
        let calls = Tally()
        let file = try VerifiedFile(
            at: message.path, with: message.credential, index: folder.path("index"), concurrency: .serial
        ) { _ in
            calls.add()
            guard calls.count == 5 else { return }
            try folder.write(Array("Dear diary".utf8), to: "new")
            guard rename(folder.path("new"), folder.path("index")) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
        #expect(calls.count > 5)
        #expect(!file.isKnownByIndex)
        #expect(try file.read(0..<100) == Array(message.plaintext[..<100]))
        #expect(try folder.read("index") == Array("Dear diary".utf8))
        #expect(try folder.names() == ["index", "message"])
    }

    /// Message and index may be as long as a file can be, and one large hole: the library trusts neither length.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm"), "there is no file system in memory"))
    func aHugeFile() throws {
        let folder = try TemporaryFolder(in: "/dev/shm")
        let keys = try FileJob.keys(1)
        let byteCount = Int.max / 16 * 16 - 14
        for indexByteCount in [nil, 150, 4 << 30, Int.max / 2] as [Int?] {
            try folder.write([3, 0], to: "message")
            try #require(truncate(folder.path("message"), off_t(byteCount)) == 0)
            if let indexByteCount {
                try folder.write(Array("CryptorFormat index 1\n".utf8), to: "index")
                try #require(truncate(folder.path("index"), off_t(indexByteCount)) == 0)
            }
            let error = try caughtError {
                _ = try VerifiedFile(at: folder.path("message"), with: keys, index: folder.path("index")) { progress in
                    if progress.bytesDone > 1_000_000 { throw CancellationError() }
                }
            }
            #expect(error?.code == .cancelled, "\(indexByteCount ?? -1)")
        }
    }

    @Test func aMessageFromAPipeHasNone() throws {
        let message = try MessageOnDisk(plaintextByteCount: 1000)
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(message.bytes))
        try pipe.fileHandleForWriting.close()
        let error = try caughtError {
            _ = try VerifiedFile(
                at: FileEndpoint.descriptor(pipe.fileHandleForReading.fileDescriptor), with: message.credential,
                index: message.folder.path("index"))
        }
        #expect(error?.code == .inputOutput)
        #expect(try message.folder.names() == ["message"])
    }

    /// A message that is refused gets no index, and nothing is left behind.
    @Test func aForgedMessageGetsNone() throws {
        let message = try MessageOnDisk(plaintextByteCount: 100_000)
        try message.alter(50_000..<50_001)
        #expect(outcome(message, "forged") == .authenticationFailed)
        #expect(try message.folder.names() == ["message"])
    }
}
