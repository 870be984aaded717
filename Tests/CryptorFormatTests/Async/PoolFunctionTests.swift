import CryptorSystem
import CryptorTestSupport
import Dispatch
import Foundation
import Testing

@testable import CryptorAsync

/// Functions of a pool return and throw what the blocking ones do. A full pool refuses those for
/// messages, and they have consumed nothing; those for files wait. All of them can be cancelled
/// while they wait.
@Suite(.unlessItHangs) struct PoolFunctionTests {
    /// What needs a thread of the pool for these inputs, and what its result says.
    enum Function: CaseIterable {
        case encrypt, encryptData, decrypt, decryptData, open, rotate, rotateData, keyedCryptor
        case inspectFile, decryptFileInChunks

        var isForFiles: Bool { self == .inspectFile || self == .decryptFileInChunks }

        /// Whether it reads the message to its end, and sees that it was altered.
        var authenticates: Bool {
            ![.encrypt, .encryptData, .keyedCryptor, .inspectFile].contains(self)
        }
    }

    /// A message under the older password of a keyring, in memory and in a file.
    struct Inputs: Sendable {
        let keyring: Credential
        let plaintext = LongBytes.bytes(1_000_000)
        var message: [UInt8]
        let path: String
    }

    private let pool = CryptorPool(threadCount: 1, maximumPendingCount: 1)
    private let directory: TemporaryDirectory
    private let inputs: Inputs
    private var plaintext: [UInt8] { inputs.plaintext }

    init() throws {
        let old = try Credential.password("correct horse battery staple")
        let keyring = try Credential.keyring(
            primary: .password("newer horse"), previous: [old])
        let message = try Cryptor.encrypt(LongBytes.bytes(1_000_000), with: old)
        directory = try TemporaryDirectory()
        try directory.write(message, to: "message")
        inputs = Inputs(keyring: keyring, message: message, path: directory.path("message"))
    }

    private func queue(of function: Function, in pool: CryptorPool) -> PoolQueue {
        function.isForFiles ? pool.files : pool.messages
    }

    /// - Returns: what can be compared with the result of the blocking function: the plaintext, or
    ///   a text for an inspection.
    private static func call(
        _ function: Function, on pool: CryptorPool, _ inputs: Inputs
    ) async throws -> [UInt8] {
        let (keyring, plaintext, message) = (inputs.keyring, inputs.plaintext, inputs.message)
        switch function {
        case .encrypt:
            let message = try await pool.encrypt(plaintext, with: keyring)
            return try Cryptor.decrypt(message, with: keyring)
        case .encryptData:
            let message: Data = try await pool.encrypt(Data(plaintext), with: keyring)
            return try Cryptor.decrypt(message, with: keyring)
        case .decrypt: return try await pool.decrypt(message, with: keyring)
        case .decryptData:
            let plaintext: Data = try await pool.decrypt(Data(message), with: keyring)
            return Array(plaintext)
        case .open:
            let opened = try await pool.open(message, with: keyring)
            return [UInt8(opened.credentialIndex)] + opened.plaintext
        case .rotate:
            let rotated = try #require(try await pool.rotate(message, with: keyring))
            let opened = try Cryptor.open(rotated, with: keyring)
            return [UInt8(opened.credentialIndex)] + opened.plaintext
        case .rotateData:
            let rotated: Data? = try await pool.rotate(Data(message), with: keyring)
            let opened = try Cryptor.open(try #require(rotated), with: keyring)
            return [UInt8(opened.credentialIndex)] + opened.plaintext
        case .keyedCryptor:
            let cryptor = try await pool.keyedCryptor(for: keyring)
            let messages = [try cryptor.encrypt([1]), try cryptor.encrypt([2])]
            // Its keys were derived once, and its messages share their salts.
            let salts = try Set(messages.map { try MessageHeader(parsing: $0).salts?.encryption })
            #expect(salts.count == 1)
            let opened = try messages.map { try Cryptor.decrypt($0, with: keyring) }
            return opened.flatMap { $0 } + (try cryptor.decrypt(message))
        case .inspectFile:
            return Array("\(try await pool.inspectFile(at: inputs.path))".utf8)
        case .decryptFileInChunks:
            let chunks = Notes<[UInt8]>()
            try await pool.decryptFile(at: inputs.path, with: keyring) { chunks.add($0) }
            #expect(chunks.all.count > 1)
            return chunks.all.flatMap { $0 }
        }
    }

    private func expected(of function: Function) throws -> [UInt8] {
        switch function {
        case .encrypt, .encryptData, .decrypt, .decryptData, .decryptFileInChunks: plaintext
        case .open: [1] + plaintext
        case .rotate, .rotateData: [0] + plaintext
        case .keyedCryptor: [1, 2] + plaintext
        case .inspectFile: Array("\(try Cryptor.inspectFile(at: inputs.path))".utf8)
        }
    }

    @Test(arguments: Function.allCases) func asTheBlockingOne(function: Function) async throws {
        let found = try await Self.call(function, on: pool, inputs)
        #expect(try sameBytes(found, expected(of: function)))
        guard function.authenticates || function == .inspectFile else { return }
        var altered = inputs
        altered.message[inputs.message.count / 2] ^= 1
        try directory.write(altered.message, to: "message")
        let error = try await Outcome { try await Self.call(function, on: pool, altered) }.error
        #expect(error?.code == (function.authenticates ? .authenticationFailed : nil))
        #expect((error?.path != nil) == (function == .decryptFileInChunks))
    }

    @Test(arguments: Function.allCases) func whileThePoolIsFull(function: Function) async throws {
        let blocker = await Blocker(occupying: queue(of: function, in: pool))
        let (pool, inputs) = (pool, inputs)
        if function.isForFiles {
            let task = Task { try await Self.call(function, on: pool, inputs) }
            await until { pool.files.count == 1 }
            blocker.open()
            #expect(try await sameBytes(task.value, expected(of: function)))
            return
        }
        for _ in 0..<3 {
            let error = try await Outcome { try await Self.call(function, on: pool, inputs) }.error
            #expect(error?.code == .overloaded)
        }
        #expect(pool.messages.count == 0 && pool.pendingCount == 1)
        blocker.open()
        try await pool.waitUntilIdle()
        let found = try await Self.call(function, on: pool, inputs)
        #expect(try sameBytes(found, expected(of: function)))
    }

    /// - Parameter isEarly: whether the task is cancelled before it calls.
    @Test(arguments: Function.allCases, [false, true])
    func cancelled(function: Function, isEarly: Bool) async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: queue(of: function, in: pool))
        let task = Task { [inputs] in
            while isEarly && !Task.isCancelled { await Task.yield() }
            return try await Self.call(function, on: pool, inputs)
        }
        await until { isEarly || pool.pendingCount == 2 }
        task.cancel()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(pool.pendingCount == 1)
        blocker.open()
        try await pool.waitUntilIdle()
    }

    /// The shape of a message is checked before it is refused or waits.
    @Test func shapesAreCheckedFirst() async throws {
        let blocker = await Blocker(occupying: pool.messages)
        defer { blocker.open() }
        let (short, keyring) = (inputs.message.dropLast(), inputs.keyring)
        let error = try await Outcome { try await pool.rotate(short, with: keyring) ?? [] }.error
        #expect(error?.code == .invalidMessageLength)
    }

    /// With keys there is nothing to derive, so a full pool does not matter.
    @Test func aKeyedCryptorOfKeys() async throws {
        let blocker = await Blocker(occupying: pool.messages)
        defer { blocker.open() }
        let keys = Credential.keys(try .random())
        let cryptor = try await pool.keyedCryptor(for: keys)
        #expect(try Cryptor.decrypt(cryptor.encrypt([7]), with: keys) == [7])
        let task = Task { [pool] in
            while !Task.isCancelled { await Task.yield() }
            _ = try await pool.keyedCryptor(for: keys)
        }
        task.cancel()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    /// One that only reads can be made, and says so when it is to write.
    @Test func aKeyedCryptorThatOnlyReads() async throws {
        let weak = try Credential.password("horse", iterations: 9_999)
        let cryptor = try await pool.keyedCryptor(for: weak)
        #expect(try caughtError { _ = try cryptor.encrypt([7]) }?.code == .invalidCredential)
    }

    // MARK: Chunks of a file

    /// The closure gets nothing more once the task was cancelled.
    @Test func cancelledBetweenChunks() async throws {
        let (chunks, isCancelled) = (Tally(), DispatchSemaphore(value: 0))
        let (pool, path, keyring) = (pool, inputs.path, inputs.keyring)
        let task = Task {
            try await pool.decryptFile(at: path, with: keyring) { _ in
                chunks.add()
                if chunks.count == 2 { isCancelled.wait() }
            }
        }
        await until { chunks.count == 2 }
        task.cancel()
        isCancelled.signal()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled && chunks.count == 2)
    }

    @Test func theClosureThrows() async throws {
        struct ClientGone: Error {}
        let calls = Tally()
        let error = await #expect(throws: CryptorError.self) {
            try await pool.decryptFile(at: inputs.path, with: inputs.keyring) { _ in
                calls.add()
                throw ClientGone()
            }
        }
        #expect(error?.code == .callbackFailed && error?.underlyingError is ClientGone)
        #expect(calls.count == 1)
    }

    // MARK: Pending calls

    /// Calls of both queues count until they have ended, been cancelled or been refused.
    @Test func countsWhatIsPending() async throws {
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 3)
        #expect(pool.pendingCount == 0)
        let blockers = [
            await Blocker(occupying: pool.messages), await Blocker(occupying: pool.files),
        ]
        #expect(pool.pendingCount == 2)
        let (path, keyring, message) = (inputs.path, inputs.keyring, inputs.message)
        let decrypting = Task { try await pool.decrypt(message, with: keyring) }
        let cancelled = Task { try await pool.decrypt(message, with: keyring) }
        let inspecting = Task { try await pool.inspectFile(at: path) }
        await until { pool.pendingCount == 5 }
        #expect(pool.messages.count == 2 && pool.files.count == 1)
        for _ in 0..<3 {
            #expect(try await Outcome { try await pool.encrypt([1], with: keyring) }.error != nil)
        }
        #expect(pool.pendingCount == 5)
        cancelled.cancel()
        _ = await cancelled.result
        #expect(pool.pendingCount == 4)
        for blocker in blockers { blocker.open() }
        #expect(try await sameBytes(decrypting.value, plaintext))
        _ = try await inspecting.value
        try await pool.waitUntilIdle()
        #expect(pool.pendingCount == 0)
    }

    /// Whoever waits goes on when the last call has ended, in whatever queue it was.
    @Test(arguments: [false, true]) func waitsUntilIdle(messagesAreLast: Bool) async throws {
        let pool = CryptorPool(threadCount: 1)
        try await pool.waitUntilIdle()
        let (messages, files) = (
            await Blocker(occupying: pool.messages), await Blocker(occupying: pool.files)
        )
        let hasEnded = Tally()
        let waiting = (0..<3).map { _ in
            Task {
                try await pool.waitUntilIdle()
                hasEnded.add()
            }
        }
        (messagesAreLast ? files : messages).open()
        await until { pool.pendingCount == 1 }
        for _ in 0..<20 { await Task.yield() }
        #expect(hasEnded.count == 0)
        (messagesAreLast ? messages : files).open()
        for task in waiting { try await task.value }
        #expect(pool.pendingCount == 0)
    }

    /// A cancelled task stops waiting, before or meanwhile. The calls go on, and others wait on.
    @Test(arguments: [false, true]) func aCancelledWait(isEarly: Bool) async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        let (hasBegun, others) = (Tally(), Task { try await pool.waitUntilIdle() })
        let task = Task {
            while isEarly && !Task.isCancelled { await Task.yield() }
            hasBegun.add()
            try await pool.waitUntilIdle()
        }
        await until { isEarly || hasBegun.count == 1 }
        task.cancel()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled && pool.pendingCount == 1)
        blocker.open()
        try await others.value
        #expect(pool.pendingCount == 0)
    }

    /// Idleness that comes and goes all the time is seen, and nobody waits forever.
    @Test func waitsAtRandomMoments() async throws {
        let pool = CryptorPool(threadCount: 2)
        let keys = Credential.keys(try .random())
        let plaintext = LongBytes.bytes(70_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<rounds(10, thorough: 50) { try await pool.waitUntilIdle() }
                }
                group.addTask {
                    for _ in 0..<rounds(10, thorough: 50) {
                        _ = try await pool.encrypt(plaintext, with: keys)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(pool.pendingCount == 0)
    }

    /// An upload is pending while its client sends nothing.
    @Test func anUploadIsPending() async throws {
        let (isAsked, mayEnd, hasEnded) = (Tally(), Tally(), Tally())
        let source = AsyncStream<[UInt8]> {
            isAsked.add()
            await until { mayEnd.count == 1 }
            return nil
        }
        let (path, keyring) = (directory.path("upload"), inputs.keyring)
        let pool = CryptorPool(threadCount: 1)
        let upload = Task { try await pool.encryptFile(from: source, to: path, with: keyring) }
        await until { isAsked.count == 1 }
        #expect(pool.pendingCount == 1)
        let waiting = Task {
            try await pool.waitUntilIdle()
            hasEnded.add()
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(hasEnded.count == 0)
        mayEnd.add()
        try await waiting.value
        #expect(try directory.names() == ["message", "upload"])
        try await upload.value
        let refused = await #expect(throws: CryptorError.self) {
            try await pool.encryptFile(from: source, to: path, with: keyring)
        }
        #expect(refused?.code == .destinationExists && pool.pendingCount == 0)
    }
}
