import CryptorTestSupport
import Testing

@testable import CryptorAsync

/// A call that a full pool refuses has consumed nothing: its source may be given to another call. A
/// call that reads and was admitted is not refused later.
@Suite(.unlessItHangs) struct RefusedCallTests {
    /// What reads a sequence, and needs the pool.
    enum Reader: CaseIterable {
        case encrypted, encryptFile, decryptedUnverified, decryptedUnverifiedWithKeyring, collecting
        case collectingUnderKeys

        var isDecrypting: Bool { self != .encrypted && self != .encryptFile }
    }

    /// A source that may be read once, like the body of a request: whatever touches it shows.
    private struct OnceSource: AsyncSequence, Sendable {
        let chunks: [[UInt8]]
        let touches = Tally()
        /// Called before each chunk.
        var beforeChunk: @Sendable () async -> Void = {}

        func makeAsyncIterator() -> Iterator {
            touches.add()
            return Iterator(source: self)
        }

        struct Iterator: AsyncIteratorProtocol {
            let source: OnceSource
            var index = 0

            mutating func next(isolation: isolated (any Actor)?) async -> [UInt8]? {
                source.touches.add()
                await source.beforeChunk()
                guard index < source.chunks.count else { return nil }
                defer { index += 1 }
                return source.chunks[index]
            }
        }
    }

    private let pool = CryptorPool(threadCount: 1, maximumPendingCount: 1)
    private let directory: TemporaryDirectory
    private let credential: Credential
    private let keyring: Credential
    private let keys: Credential
    private let plaintext = LongBytes.bytes(200_000)

    init() throws {
        directory = try TemporaryDirectory()
        credential = try .password("correct horse battery staple")
        keyring = try .keyring(primary: .password("newer"), previous: [credential])
        keys = .keys(try MessageKeys.random())
    }

    private func source(for reader: Reader) throws -> OnceSource {
        let message = try Cryptor.encrypt(
            plaintext, with: reader == .collectingUnderKeys ? keys : credential)
        return OnceSource(
            chunks: Chunking.fixed(30_000).chunks(of: reader.isDecrypting ? message : plaintext).map
            { Array($0) })
    }

    /// - Returns: the plaintext, on whatever way it went.
    private func read(_ source: OnceSource, by reader: Reader) async throws -> [UInt8] {
        func all(_ sequence: AsyncCryptorSequence<OnceSource>) async throws -> [UInt8] {
            var bytes: [UInt8] = []
            for try await chunk in sequence { bytes += chunk }
            return bytes
        }
        switch reader {
        case .encrypted:
            return try Cryptor.decrypt(
                try await all(source.encrypted(with: credential, on: pool)), with: credential)
        case .encryptFile:
            try await pool.encryptFile(
                from: source, to: directory.path("message"), with: credential)
            return try Cryptor.decrypt(directory.read("message"), with: credential)
        case .decryptedUnverified:
            return try await all(source.decryptedUnverified(with: credential, on: pool))
        case .decryptedUnverifiedWithKeyring:
            return try await all(source.decryptedUnverified(with: keyring, on: pool))
        case .collecting:
            return try await Cryptor.decrypt(
                collecting: source, upTo: 1 << 20, with: credential, on: pool)
        case .collectingUnderKeys:
            return try await Cryptor.decrypt(
                collecting: source, upTo: 1 << 20, with: keys, on: pool)
        }
    }

    /// A client tries until the pool has room, and sends each chunk once.
    @Test(arguments: Reader.allCases) func mayBeRepeated(reader: Reader) async throws {
        let source = try source(for: reader)
        for _ in 0..<5 {
            let blocker = await Blocker(occupying: pool.messages)
            for _ in 0..<20 {
                let error = await #expect(throws: CryptorError.self) {
                    try await read(source, by: reader)
                }
                #expect(error?.code == .overloaded)
            }
            blocker.open()
        }
        #expect(source.touches.count == 0)
        #expect(try directory.names() == [])
        var found: [UInt8]?
        while found == nil {
            // The call of the blocker may still be ending.
            do { found = try await read(source, by: reader) } catch CryptorError.Code.overloaded {}
        }
        #expect(firstDifference(found ?? [], plaintext) == nil)
    }

    /// So may the call of an iterator, which has touched nothing.
    @Test func ofAnIterator() async throws {
        let source = try source(for: .encrypted)
        let blocker = await Blocker(occupying: pool.messages)
        var iterator = source.encrypted(with: credential, on: pool).makeAsyncIterator()
        for _ in 0..<5 {
            let error = await #expect(throws: CryptorError.self) {
                _ = try await iterator.next(isolation: nil)
            }
            #expect(error?.code == .overloaded && source.touches.count == 0)
        }
        blocker.open()
        var message: [UInt8] = []
        while true {
            do {
                guard let chunk = try await iterator.next(isolation: nil) else { break }
                message += chunk
            } catch CryptorError.Code.overloaded {}
        }
        #expect(try firstDifference(Cryptor.decrypt(message, with: credential), plaintext) == nil)
    }

    /// A FIFO is not opened for a message that is refused: its reader would see an end, and go.
    @Test func toAFIFO() async throws {
        try directory.makeFIFO("pipe")
        let reader = PipeReader(fifo: directory.path("pipe"))
        let blocker = await Blocker(occupying: pool.messages)
        let (source, path) = (try source(for: .encryptFile), directory.path("pipe"))
        for _ in 0..<5 {
            let error = await #expect(throws: CryptorError.self) {
                try await pool.encryptFile(from: source, to: path, with: credential)
            }
            #expect(error?.code == .overloaded)
        }
        blocker.open()
        var isRefused = true
        while isRefused {
            do {
                try await pool.encryptFile(from: source, to: path, with: credential)
                isRefused = false
            } catch CryptorError.Code.overloaded {}
        }
        #expect(
            try firstDifference(Cryptor.decrypt(reader.finish(), with: credential), plaintext)
                == nil)
    }

    /// The pool becomes full while a call waits for its source.
    @Test(arguments: Reader.allCases) func onceAdmitted(reader: Reader) async throws {
        var source = try source(for: reader)
        let (pool, filled) = (pool, Tally())
        source.beforeChunk = {
            guard filled.add() == 1 else { return }
            let blocker = await Blocker(occupying: pool.messages)
            // It is full when the call comes back to it, and becomes free only then.
            Task {
                await until {
                    pool.messages.count > 0 || reader == .encrypted || reader == .encryptFile
                }
                blocker.open()
            }
        }
        let found = try await read(source, by: reader)
        #expect(firstDifference(found, plaintext) == nil)
    }
}
