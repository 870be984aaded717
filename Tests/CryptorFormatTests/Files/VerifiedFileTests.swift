import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// The parts that are read are those of the complete plaintext.
@Suite struct VerifiedFileTests {
    private static let segment = 64 * 1024
    private let everything = Acceptance.everything

    private func check(
        _ range: Range<Int>, of file: VerifiedFile, _ plaintext: [UInt8], _ name: String,
        through interface: PartInterface = .array, at location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try interface.read(range, of: file)
        let expected = plaintext[range.clamped(to: 0..<plaintext.count)]
        guard let difference = firstDifference(found, expected) else { return }
        Issue.record(
            "\(name), \(range), \(interface): \(difference), \(SeededGenerator())", sourceLocation: location)
    }

    /// Offsets at and beside each of `offsets`.
    private func marks(around offsets: [Int]) -> [Int] {
        offsets.flatMap { offset in [-17, -16, -1, 0, 1, 15, 16].map { offset + $0 } }
    }

    private func checkRandomRanges(_ count: Int, of file: VerifiedFile, _ plaintext: [UInt8], _ name: String) throws {
        var generator = SeededGenerator()
        for _ in 0..<count {
            let start = Int.random(in: 0...plaintext.count, using: &generator)
            let end = Int.random(in: start...plaintext.count, using: &generator)
            try check(start..<end, of: file, plaintext, name)
        }
    }

    // MARK: Vectors

    @Test(arguments: try VectorFolder.readable())
    func readable(_ vector: ReadableVector) throws {
        let folder = try TemporaryFolder()
        try folder.write(vector.message, to: "message")
        let file = try VerifiedFile(
            at: folder.path("message"), with: try vector.credential, accepting: vector.acceptance)
        #expect(file.plaintextByteCount == vector.plaintext.count, "\(vector)")
        #expect(vector.header == nil || file.header == vector.header, "\(vector)")
        for interface in PartInterface.allCases {
            try check(0..<vector.plaintext.count, of: file, vector.plaintext, "\(vector)", through: interface)
        }
        for start in 0...min(vector.plaintext.count, 50) {
            for end in start...min(vector.plaintext.count, 50) {
                try check(start..<end, of: file, vector.plaintext, "\(vector)")
            }
        }
        try checkRandomRanges(20, of: file, vector.plaintext, "\(vector)")
    }

    @Test(arguments: try VectorFolder.long())
    func long(_ vector: LongVector) throws {
        let folder = try TemporaryFolder()
        let message = try Cryptor.encrypt(vector.plaintext, with: vector.writtenWith, header: vector.header)
        try folder.write(message, to: "message")
        let file = try VerifiedFile(
            at: folder.path("message"), with: try vector.credential, accepting: vector.acceptance)
        #expect(file.plaintextByteCount == vector.plaintext.count, "\(vector)")
        try check(0..<vector.plaintext.count, of: file, vector.plaintext, "\(vector)")
        try checkRandomRanges(50, of: file, vector.plaintext, "\(vector)")
        for start in marks(around: [1, 16, 4096, Self.segment, 7 * Self.segment]) where start >= 0 {
            for count in [1, 15, 16, 17, 4095, 4097] {
                try check(start..<start + count, of: file, vector.plaintext, "\(vector)")
            }
        }
    }

    @Test(arguments: try VectorFolder.refused())
    func refused(_ vector: RefusedVector) throws {
        let folder = try TemporaryFolder()
        try folder.write(vector.message, to: "message")
        let error = try caughtError {
            _ = try VerifiedFile(
                at: folder.path("message"), with: try vector.secret.credential, accepting: everything)
        }
        #expect(error?.code == vector.fault.code, "\(vector)")
        #expect(error?.path == folder.path("message"), "\(vector)")
    }

    // MARK: Ranges

    @Test(arguments: [0, 1, 15, 16, 17, 65_535, 65_536, 65_537, 65_552, 131_071, 131_072, 131_088, 200_000])
    func boundaries(length: Int) throws {
        let message = try MessageOnDisk(plaintextByteCount: length)
        let file = try message.open()
        #expect(file.plaintextByteCount == length)
        let near = marks(around: [0, 16, Self.segment, 2 * Self.segment, length])
        let marks = Set(near.filter { 0...length ~= $0 }).sorted()
        for (index, start) in marks.enumerated() {
            for (other, end) in marks.enumerated().dropFirst(index) {
                let interface = PartInterface.allCases[(index + other) % PartInterface.allCases.count]
                try check(start..<end, of: file, message.plaintext, "\(length) bytes", through: interface)
            }
        }
    }

    @Test(arguments: [0, 1, 16, 65_536, 65_540])
    func whatLiesBeyondTheEndIsLeftOut(length: Int) throws {
        let message = try MessageOnDisk(plaintextByteCount: length)
        let file = try message.open()
        for start in Set([0, length / 2, length]) {
            for end in [length + 1, length + Self.segment, Int.max] where end > start {
                #expect(try file.read(start..<end) == Array(message.plaintext[start...]), "\(start)..<\(end)")
                #expect(try file.readData(start..<end) == Data(message.plaintext[start...]), "\(start)..<\(end)")
            }
        }
        #expect(try file.read(length..<length) == [])
    }

    @Test(
        arguments: [-1..<0, -1..<5, Int.min..<Int.max, 101..<101, 101..<200, Int.max..<Int.max], PartInterface.allCases)
    func aRangeThatBeginsElsewhereIsRefused(range: Range<Int>, interface: PartInterface) throws {
        let message = try MessageOnDisk(plaintextByteCount: 100)
        let file = try message.open()
        guard interface != .span else { return }
        let error = try caughtError { _ = try interface.read(range, of: file) }
        #expect(error?.code == .invalidRange)
        #expect(error?.path == message.path)
        #expect(try file.read(0..<100) == message.plaintext, "it is the caller's error, and not the file's")
    }

    @Test func aSpanWithoutRoomGetsNothing() throws {
        let message = try MessageOnDisk(plaintextByteCount: 100_000)
        let file = try message.open()
        var bytes = [UInt8](repeating: 7, count: 1000)
        let error = try caughtError {
            try bytes.withUnsafeMutableBytes { buffer in
                var output = OutputRawSpan(buffer: buffer, initializedCount: 1)
                defer { #expect(output.byteCount == 1) }
                try file.read(0..<1000, into: &output)
            }
        }
        #expect(error?.code == .outputTooSmall)
        #expect(bytes == [UInt8](repeating: 7, count: 1000))
    }

    // MARK: Threads

    @Test func manyThreadsAtOnce() throws {
        let message = try MessageOnDisk(plaintextByteCount: 1_000_003)
        let file = try message.open()
        let expected = message.plaintext
        let failures = Notes<String>()
        DispatchQueue.concurrentPerform(iterations: 16) { thread in
            var generator = SeededGenerator(seed: SeededGenerator.processSeed &+ UInt64(thread))
            for _ in 0..<50 {
                let start = Int.random(in: 0..<expected.count, using: &generator)
                let end = min(expected.count, start + Int.random(in: 0...150_000, using: &generator))
                let found = try? file.read(start..<end)
                if found.map({ sameBytes($0, expected[start..<end]) }) != true { failures.add("\(start)..<\(end)") }
            }
        }
        #expect(failures.all.isEmpty, "\(failures.all), \(SeededGenerator())")
    }

    // MARK: Opening

    @Test func whatIsNoMessageUnderTheseTermsIsRefused() throws {
        let message = try MessageOnDisk(plaintextByteCount: 100_000)
        func code(_ path: String, _ credential: Credential, _ accepting: Acceptance = [.v3]) throws
            -> CryptorError.Code?
        {
            try caughtError { _ = try VerifiedFile(at: path, with: credential, accepting: accepting) }?.code
        }
        #expect(try code(message.path, try FileJob.keys(9)) == .authenticationFailed)
        #expect(try code(message.path, try .password("x")) == .credentialMismatch)
        #expect(try code(message.path, message.credential, [.v2]) == .versionNotAccepted)
        #expect(try code(message.folder.path("none"), message.credential) == .inputOutput)
        #expect(try code(message.folder.path, message.credential) == .inputOutput)
        try message.folder.write(Array(Data(message.bytes).base64EncodedData()), to: "text")
        #expect(try code(message.folder.path("text"), message.credential) == .looksBase64Encoded)
        for count in [
            0, 1, 17, 65, 66, 65_536, message.bytes.count - 33, message.bytes.count - 16, message.bytes.count - 1,
        ] {
            try message.folder.write(Array(message.bytes[..<count]), to: "cut")
            let found = try code(message.folder.path("cut"), message.credential)
            let expected: CryptorError.Code =
                count < 66
                ? .invalidMessageLength : (count - 50) % 16 == 0 ? .authenticationFailed : .invalidMessageLength
            #expect(found == expected, "\(count) bytes")
        }
        let password = try Cryptor.encrypt(message.plaintext, with: .password("right"))
        try message.folder.write(password, to: "password")
        #expect(try code(message.folder.path("password"), try .password("wrong")) == .authenticationFailed)
        #expect(try code(message.folder.path("password"), try .password("right")) == nil)
    }

    @Test func byURLAndWithProgress() throws {
        let message = try MessageOnDisk(plaintextByteCount: 3_000_000)
        var reports: [FileProgress] = []
        let file = try VerifiedFile(at: URL(filePath: message.path), with: message.credential) {
            reports.append($0)
        }
        #expect(reports.last?.totalBytes == message.bytes.count)
        try check(0..<3_000_000, of: file, message.plaintext, "all")
        let error = try caughtError {
            _ = try VerifiedFile(at: message.path, with: message.credential) { _ in throw CancellationError() }
        }
        #expect(error?.code == .cancelled)
    }

    /// The message starts at the descriptor's position, and the descriptor may be closed once the file is open.
    @Test(arguments: [0, 100, 70_000])
    func aDescriptorThatIsClosed(length: Int) throws {
        let message = try MessageOnDisk(plaintextByteCount: length)
        try message.folder.write([UInt8](repeating: 3, count: 1234) + message.bytes, to: "later")
        let file = try message.folder.withDescriptor(of: "later", O_RDONLY) { descriptor in
            #expect(lseek(descriptor, 1234, SEEK_SET) == 1234)
            let file = try VerifiedFile(at: .descriptor(descriptor), with: message.credential)
            #expect(lseek(descriptor, 0, SEEK_CUR) == 1234, "the position is the caller's")
            return file
        }
        try check(0..<length, of: file, message.plaintext, "\(length)")
        try checkRandomRanges(10, of: file, message.plaintext, "\(length)")
    }

    @Test(arguments: [0, 100, 70_000, 300_000], Naming.allCases)
    func aPipe(length: Int, naming: Naming) throws {
        let message = try MessageOnDisk(plaintextByteCount: length)
        let writer = try PipeWriter(message.bytes)
        let source = FileEndpoint.descriptor(try #require(writer.readEnd))
        let file = try naming.use { try VerifiedFile(at: source, with: message.credential) }
        try check(0..<length, of: file, message.plaintext, "\(length)")
        try checkRandomRanges(10, of: file, message.plaintext, "\(length)")
    }
}
