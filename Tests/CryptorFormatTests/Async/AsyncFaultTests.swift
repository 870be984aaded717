import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A stream that is not complete and authentic never ends as if it were.
@Suite(.unlessItHangs) struct AsyncFaultTests {
    private struct SourceFailure: Error, Equatable {}

    private let credential: Credential
    private let plaintext: [UInt8]
    private let message: [UInt8]

    init() throws {
        var generator = SeededGenerator()
        credential = .keys(try generator.keyPair())
        plaintext = generator.bytes(150)
        message = try Cryptor.encrypt(plaintext, with: credential)
    }

    private func read(_ message: some Collection<UInt8>, _ chunking: Chunking) async -> Reading {
        await Reading(ChunkSource(chunking.chunks(of: Array(message))).decryptedUnverified(with: credential))
    }

    @Test func cutOffAnywhere() async {
        for count in 0..<message.count {
            for chunking in [Chunking.whole, .fixed(1), .padded(16)] {
                let reading = await read(message.prefix(count), chunking)
                #expect(reading.code == Self.code(ofByteCount: count), "\(count) bytes, \(chunking)")
                #expect(reading.isSticky, "\(count) bytes, \(chunking): then \(reading.later)")
            }
        }
    }

    @Test func anyBitFlipped() async {
        var generator = SeededGenerator()
        for index in message.indices {
            var altered = message
            altered[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            let reading = await read(altered, .random(generator, maximum: 70))
            let expected = Self.code(ofAltered: index, altered[index])
            #expect(reading.code == expected && reading.isSticky, "byte \(index), \(generator)")
        }
    }

    /// The error of a message of which `count` bytes are left: a header of 18 bytes, blocks, and an HMAC of 32 bytes.
    private static func code(ofByteCount count: Int) -> CryptorError.Code {
        count >= 18 + 16 + 32 && (count - 18) % 16 == 0 ? .authenticationFailed : .invalidMessageLength
    }

    /// The error of a message with one wrong byte. Only a wrong version or option is noticed before the HMAC.
    private static func code(ofAltered index: Int, _ byte: UInt8) -> CryptorError.Code {
        switch index {
        case 0: byte == 2 ? .authenticationFailed : byte < 2 ? .versionNotAccepted : .unsupportedVersion
        case 1: byte == 1 ? .credentialMismatch : .unsupportedVersion
        default: .authenticationFailed
        }
    }

    /// An actor has to call `next` on a copy of its iterator, and does not keep a copy that threw.
    @Test func copiesOfAnIteratorAreOneStream() async throws {
        var altered = message
        altered[100] ^= 1
        let source = ChunkSource(Chunking.fixed(64).chunks(of: altered))
        var kept = source.decryptedUnverified(with: credential).makeAsyncIterator()
        var failures = 0
        for _ in 0..<20 where failures < 3 {
            var copy = kept
            do {
                let chunk = try await copy.next(isolation: nil)
                #expect(chunk != nil, "it ended as if all were well")
                kept = copy
            } catch {
                #expect((error as? CryptorError)?.code == .authenticationFailed)
                failures += 1
            }
        }
        #expect(failures == 3)
    }

    /// One message is written, however often its iterator is copied.
    @Test func copiesOfAnIteratorWriteOneMessage() async throws {
        var first = ChunkSource([plaintext]).encrypted(with: credential).makeAsyncIterator()
        var written = try await first.next(isolation: nil) ?? []
        var second = first
        while let chunk = try await first.next(isolation: nil) { written += chunk }
        #expect(try await second.next(isolation: nil) == nil)
        #expect(try Cryptor.decrypt(written, with: credential) == plaintext)
    }

    /// An actor that lets several tasks ask one stream, as Swift permits.
    private actor Shared {
        private var iterator: any AsyncIteratorProtocol<[UInt8], any Error>
        private(set) var questionCount = 0

        init(_ source: some AsyncSequence<[UInt8], any Error> & Sendable) { iterator = source.makeAsyncIterator() }

        func next() async throws -> [UInt8]? {
            questionCount += 1
            var copy = iterator
            defer { iterator = copy }
            return try await copy.next(isolation: self)
        }
    }

    /// Two tasks ask one stream at the same time, and one of them may be cancelled. Neither of them, nor anybody who
    /// asks later, sees the stream end without an error.
    @Test(arguments: [true, false], [nil, 0, 1])
    func askedByTwo(decrypting: Bool, cancelled: Int?) async throws {
        var forged = message
        forged[message.count / 2] ^= 1
        for count in [0, 100] {
            let (source, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            let shared =
                decrypting
                ? Shared(source.decryptedUnverified(with: credential)) : Shared(source.encrypted(with: credential))
            if count > 0 {
                continuation.yield(Array(forged.prefix(count)))
                #expect(try await shared.next() != nil)
            }
            let before = await shared.questionCount
            let tasks = (0..<2).map { _ in
                Task {
                    while try await shared.next() != nil {}
                }
            }
            while await shared.questionCount < before + 2 { await Task.yield() }
            if let cancelled { tasks[cancelled].cancel() }
            continuation.yield(Array(forged.dropFirst(count)))
            continuation.finish()
            for task in tasks {
                let error = await #expect(throws: CryptorError.self, "\(count) bytes") { try await task.value }
                #expect(
                    error?.code == .cancelled, "\(count) bytes: \(String(describing: error))")
            }
            await #expect(throws: CryptorError.self, "\(count) bytes, later") { try await shared.next() }
        }
    }

    @Test func wrongPassword() async throws {
        let message = try Cryptor.encrypt(plaintext, with: .password("correct horse"))
        let source = ChunkSource(Chunking.fixed(16).chunks(of: message))
        let reading = await Reading(source.decryptedUnverified(with: try .password("wrong horse")))
        #expect(reading.code == .authenticationFailed && reading.isSticky)
    }

    @Test(arguments: [0, 1, 40, 100, 200])
    func theSourceFails(after count: Int) async {
        for chunking in [Chunking.whole, .fixed(1), .padded(16)] {
            let source = ChunkSource(chunking.chunks(of: Array(message.prefix(count))), thenThrowing: SourceFailure())
            let decrypting = await Reading(source.decryptedUnverified(with: credential))
            let encrypting = await Reading(source.encrypted(with: credential))
            for reading in [decrypting, encrypting] {
                #expect(reading.error is SourceFailure, "\(chunking)")
                #expect(reading.isSticky, "\(chunking): then \(reading.later)")
            }
            await #expect(throws: SourceFailure.self) {
                _ = try await Cryptor.decrypt(collecting: source, upTo: 1000, with: credential)
            }
        }
    }

    /// If a source ends because its task was cancelled, that is not taken for the end of its data.
    @Test func aCancelledSourceIsNoEnd() async {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let pulled = Tally()
        let counted = stream.map { chunk in
            pulled.add()
            return chunk
        }
        let task = Task { await Reading(counted.encrypted(with: credential)) }
        continuation.yield(plaintext)
        await until { pulled.count == 1 }
        task.cancel()
        let reading = await task.value
        #expect(reading.code == .cancelled && reading.isSticky, "\(String(describing: reading.error))")
        continuation.finish()

        let (messages, rest) = AsyncStream<[UInt8]>.makeStream()
        rest.yield(message)
        let collecting = Task { try await Cryptor.decrypt(collecting: messages, upTo: 1000, with: credential) }
        collecting.cancel()
        let error = await #expect(throws: CryptorError.self) { try await collecting.value }
        #expect(error?.code == .cancelled)
        rest.finish()
    }

    @Test func cancelledWhileItsKeysWait() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        let password = try Credential.password("correct horse")
        let source = ChunkSource([try Cryptor.encrypt(plaintext, with: password)])
        for isEncrypting in [true, false] {
            let task = Task {
                isEncrypting
                    ? await Reading(source.encrypted(with: password, on: pool))
                    : await Reading(source.decryptedUnverified(with: password, on: pool))
            }
            await until { pool.messages.count == 1 }
            task.cancel()
            let reading = await task.value
            #expect(reading.code == .cancelled && reading.isSticky && reading.chunks.isEmpty)
            #expect(pool.messages.count == 0)
        }
        blocker.open()
    }
}
