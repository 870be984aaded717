import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync

/// Asynchronous sequences become complete files or none, and verified files can be read as
/// asynchronous sequences.
@Suite(.unlessItHangs) struct FileSequenceTests {
    private let directory: TemporaryDirectory
    private let credential: Credential
    private let pool = CryptorPool(threadCount: 2)

    private struct Refusal: Error {}

    init() throws {
        directory = try TemporaryDirectory()
        credential = try FileJob.keys(1)
    }

    /// Chunks of `count` bytes. `end` is called after the last one, and may throw.
    private func chunks(
        _ bytes: [UInt8], of count: Int, end: @escaping @Sendable () async throws -> Void = {}
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        let start = Notes<Int>()
        return AsyncThrowingStream {
            let offset = start.all.count * count
            start.add(offset)
            guard offset < bytes.count else {
                try await end()
                return nil
            }
            return Array(bytes[offset..<min(offset + count, bytes.count)])
        }
    }

    @Test(arguments: [0, 65_536, 1_000_003], [1000, 400_000])
    func appearsWhenItIsWhole(byteCount: Int, chunk: Int) async throws {
        let plaintext = LongBytes.bytes(byteCount)
        let names = Notes<String>()
        try await pool.encryptFile(
            from: chunks(plaintext, of: chunk) { [path = directory.path] in
                for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                    names.add(name)
                }
            },
            to: directory.path("message"), with: credential)
        #expect(names.all.isEmpty)
        #expect(try directory.names() == ["message"])
        #expect(try directory.mode(of: "message") == directory.modeOfNewFiles())
        #expect(
            try sameBytes(Cryptor.decrypt(directory.read("message"), with: credential), plaintext))
        try await pool.encryptFile(
            from: chunks(plaintext, of: chunk) {}, to: directory.path("text"), with: credential,
            options: FileOptions(base64: true))
        let text = try Cryptor.message(fromBase64: directory.read("text"))
        #expect(try sameBytes(Cryptor.decrypt(text, with: credential), plaintext))
    }

    /// If the destination exists, it stays, and nothing is read from the source.
    @Test func existingFilesStay() async throws {
        try directory.write([7], to: "message")
        let asked = Notes<Int>()
        let source = AsyncStream<[UInt8]> {
            asked.add(1)
            return nil
        }
        let (pool, path, credential) = (pool, directory.path("message"), credential)
        let error = await #expect(throws: CryptorError.self) {
            try await pool.encryptFile(from: source, to: path, with: credential)
        }
        #expect(error?.code == .destinationExists && asked.all.isEmpty)
        #expect(try directory.read("message") == [7])
        try await pool.encryptFile(
            from: chunks([1, 2], of: 1), to: path, with: credential,
            options: FileOptions(overwriting: true))
        #expect(try Cryptor.decrypt(directory.read("message"), with: credential) == [1, 2])
    }

    /// Work that fails or is cancelled leaves nothing behind, and does not change a file that was
    /// there.
    @Test(arguments: [false, true], [false, true])
    func nothingOrAll(isCancelled: Bool, overwriting: Bool) async throws {
        if overwriting { try directory.write([7], to: "message") }
        let (pool, path, credential) = (pool, directory.path("message"), credential)
        let hasCome = Notes<Int>()
        let source = chunks(LongBytes.bytes(300_000), of: 50_000) {
            hasCome.add(1)
            guard isCancelled else { throw Refusal() }
            try await Task.sleep(for: .seconds(60))
        }
        let task = Task {
            try await pool.encryptFile(
                from: source, to: path, with: credential,
                options: FileOptions(overwriting: overwriting))
        }
        await until { !hasCome.all.isEmpty }
        if isCancelled { task.cancel() }
        let error = await #expect(throws: (any Error).self) { try await task.value }
        if isCancelled {
            #expect(error is CancellationError || (error as? CryptorError)?.code == .cancelled)
        } else {
            #expect(error is Refusal)
        }
        #expect(try directory.names() == (overwriting ? ["message"] : []))
        if overwriting { #expect(try directory.read("message") == [7]) }
    }

    /// A pipe that does not block can be cancelled while nobody reads it.
    @Test func aPipeThatNobodyReads() async throws {
        try directory.makeFIFO("pipe")
        let reader = open(directory.path("pipe"), O_RDONLY | O_NONBLOCK)
        let writer = open(directory.path("pipe"), O_WRONLY | O_NONBLOCK)
        defer { for end in [reader, writer] { close(end) } }
        let (pool, credential) = (pool, credential)
        let source = chunks(LongBytes.bytes(3_000_000), of: 100_000)
        let task = Task {
            try await pool.encryptFile(from: source, to: .descriptor(writer), with: credential)
        }
        // The first bytes have come, and then the pipe is full.
        var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        await until { poll(&request, 1, 0) > 0 }
        task.cancel()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    // MARK: Verified files

    private func message(_ plaintext: [UInt8]) throws -> String {
        try directory.write(try Cryptor.encrypt(plaintext, with: credential), to: "message")
        return directory.path("message")
    }

    @Test func anyRangeInAnyChunks() async throws {
        let plaintext = LongBytes.bytes(300_000)
        let file = try await pool.verifiedFile(at: try message(plaintext), with: credential)
        var generator = SeededGenerator()
        var ranges: [Range<Int>] = [
            0..<0, 0..<1, 5..<5, 65_535..<65_537, 299_999..<300_000, 300_000..<300_000, 0..<Int.max,
        ]
        for _ in 0..<10 {
            let start = Int.random(in: 0...plaintext.count, using: &generator)
            ranges.append(start..<Int.random(in: start...plaintext.count + 1000, using: &generator))
        }
        var usual = file.chunks(on: pool).makeAsyncIterator()
        #expect(try await usual.next()?.count == 262_144)
        for range in ranges {
            for byteCount in [0, 999, 65_536, 1_000_000, .max]
            where byteCount > 0 || range.count < 10 {
                var found: [UInt8] = []
                for try await chunk in file.chunks(of: range, upTo: byteCount, on: pool) {
                    #expect(!chunk.isEmpty && chunk.count <= max(1, byteCount))
                    found += chunk
                }
                #expect(
                    sameBytes(found, Array(plaintext[range.clamped(to: 0..<plaintext.count)])),
                    "\(range), \(generator)"
                )
            }
        }
        var all: [UInt8] = []
        let chunks = file.chunks()
        // The sequence can be read twice from the start.
        for _ in 0..<2 {
            all = []
            for try await chunk in chunks { all += chunk }
        }
        #expect(sameBytes(all, plaintext))
    }

    @Test func whatCannotBeRead() async throws {
        let path = try message(LongBytes.bytes(300_000))
        let file = try await pool.verifiedFile(at: path, with: credential)
        for range in [
            300_001..<300_002, -5..<10, -5..<Int.max, Int.min..<Int.max, Int.max..<Int.max,
        ] {
            for byteCount in [1, 1000, .max] {
                var outside = file.chunks(of: range, upTo: byteCount).makeAsyncIterator()
                for _ in 0..<2 {
                    let error = await #expect(throws: CryptorError.self) {
                        try await outside.next()
                    }
                    #expect(error?.code == .invalidRange, "\(range)")
                }
            }
        }
        try directory.alter("message", 200_000..<200_001)
        var found = 0
        let error = await #expect(throws: CryptorError.self) {
            for try await chunk in file.chunks(upTo: 1000) { found += chunk.count }
        }
        #expect(error?.code == .authenticationFailed)
        #expect(found <= 200_000 && found > 100_000)
    }
}
