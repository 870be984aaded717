import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFormat

/// What a pool does, when, and on which threads: what waits is done in order, refused when the pool
/// is full, and dropped when it is cancelled.
@Suite(.unlessItHangs) struct CryptorPoolTests {
    private let password: Credential
    private let keys: Credential

    init() throws {
        password = try .password("correct horse battery staple")
        keys = .keys(try MessageKeys.random())
    }

    // MARK: Threads

    /// Which work needs a thread of the pool. Here it is full, so that work which asks for one is
    /// refused. Messages of up to 64 KiB under keys are done where the task runs; streams under
    /// keys have nothing to derive; and files wait.
    @Test(arguments: [(0, false), (65_471, false), (65_472, true), (65_536, true), (65_537, true)])
    func whatAFullPoolDoes(byteCount: Int, isLarge: Bool) async throws {
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        defer { blocker.open() }
        let directory = try TemporaryDirectory()
        let (plaintext, keys, password) = (LongBytes.bytes(byteCount), keys, password)
        let message = try Cryptor.encrypt(plaintext, with: keys)
        func code(_ work: () async throws -> [UInt8]) async throws -> CryptorError.Code? {
            do { #expect(sameBytes(try await work(), plaintext)) } catch let error as CryptorError {
                return error.code
            }
            return nil
        }
        #expect(
            try await code { try await pool.decrypt(message, with: keys) }
                == (isLarge ? .overloaded : nil))
        let encrypting = try await code {
            try Cryptor.decrypt(await pool.encrypt(plaintext, with: keys), with: keys)
        }
        #expect(encrypting == (byteCount > 65_536 ? .overloaded : nil))
        #expect(
            try await code { try await pool.decrypt(message, with: password) }
                == .credentialMismatch)
        #expect(try await code { try await pool.encrypt(plaintext, with: password) } == .overloaded)
        let writing = await ReadSequence(ChunkSource([plaintext]).encrypted(with: keys, on: pool))
        let reading = await ReadSequence(
            ChunkSource([writing.bytes]).decryptedUnverified(with: keys, on: pool))
        #expect(writing.error == nil && reading.error == nil && sameBytes(reading.bytes, plaintext))
        let refused = await ReadSequence(
            ChunkSource([plaintext]).encrypted(with: password, on: pool))
        #expect(refused.code == .overloaded && refused.isSticky && refused.chunks.isEmpty)
        // The keys of a message that is read are derived there, too.
        let sealed = try Cryptor.encrypt(plaintext, with: password)
        #expect(
            await ReadSequence(ChunkSource([sealed]).decryptedUnverified(with: password, on: pool))
                .code
                == .overloaded)
        try directory.write(plaintext, to: "plaintext")
        let (source, output) = (directory.path("plaintext"), directory.path("message"))
        try await pool.encryptFile(at: source, to: output, with: password)
        #expect(try await pool.verifyFile(at: output, with: password) == byteCount)
    }

    /// The keys of a stream are derived by a thread of the pool, not where the task runs.
    @Test(arguments: [true, false])
    func keysOfAStream(isWriting: Bool) async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        let plaintext = LongBytes.bytes(100_000)
        let message = try Cryptor.encrypt(plaintext, with: password)
        let hasEnded = Tally()
        let reading = Task { [password] in
            defer { hasEnded.add() }
            return isWriting
                ? await ReadSequence(ChunkSource([plaintext]).encrypted(with: password, on: pool))
                : await ReadSequence(
                    ChunkSource([message]).decryptedUnverified(with: password, on: pool))
        }
        await until { pool.messages.count == 1 || hasEnded.count == 1 }
        #expect(pool.messages.count == 1 && hasEnded.count == 0)
        blocker.open()
        let found = await reading.value
        #expect(found.error == nil)
        let opened = isWriting ? try Cryptor.decrypt(found.bytes, with: password) : found.bytes
        #expect(sameBytes(opened, plaintext))
    }

    /// A file that waits, as for the reader of a pipe, delays no message.
    @Test func filesDelayNoMessage() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.files)
        let plaintext = LongBytes.bytes(100_000)
        let message = try await pool.encrypt(plaintext, with: password)
        #expect(try await sameBytes(pool.decrypt(message, with: password), plaintext))
        blocker.open()
    }

    /// Many files at once, with as many threads as files, and with fewer, through all functions.
    @Test(arguments: [1, 3, 20])
    func manyFiles(threadCount: Int) async throws {
        let pool = CryptorPool(threadCount: threadCount)
        let (calls, directory) = (Tally(), try TemporaryDirectory())
        let (password, keys, path) = (password, keys, directory.path)
        for index in 0..<20 { try directory.write(LongBytes.bytes(5000 * index), to: "\(index)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in (0..<20).map({ "\(path)/\($0)" }) {
                group.addTask {
                    try await pool.encryptFile(at: name, to: "\(name).rnc", with: password) { _ in
                        calls.add()
                    }
                    try await pool.rekeyFile(
                        at: "\(name).rnc", to: "\(name).rnc", from: password, into: keys)
                    let options = FileOptions(removingSource: true)
                    try await pool.decryptFile(
                        at: "\(name).rnc", to: "\(name).copy", with: keys, options: options)
                }
            }
            try await group.waitForAll()
        }
        #expect(calls.count >= 20)
        #expect(try directory.names() == (0..<20).flatMap { ["\($0)", "\($0).copy"] }.sorted())
        for index in 0..<20 {
            #expect(try directory.read("\(index).copy") == directory.read("\(index)"), "\(index)")
        }
    }

    /// The threads end when the pool is released, on whatever thread that happens.
    @Test func threadsEnd() async throws {
        func threadCount() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
        }
        weak var queue: PoolQueue?
        let before = threadCount()
        for _ in 0..<100 {
            let pool = CryptorPool(threadCount: 3)
            queue = pool.messages
            try await withThrowingTaskGroup { group in
                for _ in 0..<3 { group.addTask { _ = try await pool.encrypt([1], with: password) } }
                try await group.waitForAll()
            }
        }
        // Other tests have threads, too, but not as many.
        await until { queue == nil && threadCount() < before + 200 }
    }

    // MARK: What waits

    /// The keys of waiting messages are derived together, in order, and each message comes out
    /// right. Many are derived together only if enough work is left for the other threads.
    @Test(arguments: [
        (1, [4: [4], 7: [4, 3], 8: [8], 12: [8, 4], 20: [8, 8, 4]]),
        (2, [8: [4, 4], 11: [4, 4, 3], 12: [8, 4], 13: [8, 4, 1]]),
    ])
    func derivesTogether(threadCount: Int, expected: [Int: [Int]]) async throws {
        for (count, batches) in expected {
            let queue = PoolQueue(
                threadCount: threadCount, pendingLimit: .max, batchSize: (4, 8))
            var blockers: [Blocker] = []
            for _ in 0..<threadCount { blockers.append(await Blocker(occupying: queue)) }
            let salt = [UInt8](repeating: 7, count: 8)
            let tasks = (0..<count).map { number in
                Task {
                    let request = KeyRequest(
                        SecretBytes([UInt8(number)]),
                        MessageHeader.Salts(encryption: salt, hmac: salt))
                    let expected = try request.keys().copyKeys().hmacKey
                    return try await queue.derive(request) { $0.copyKeys().hmacKey == expected }
                }
            }
            await until { queue.count == count }
            var found: [Int] = []
            while case let batch = queue.takeNext(), !batch.isEmpty {
                found.append(batch.count)
                queue.finish(batch)
            }
            #expect(found == batches, "\(count) with \(threadCount) threads")
            for task in tasks { #expect(try await task.value == true) }
            for blocker in blockers { blocker.open() }
        }
    }

    /// Derivations are done together only if they follow each other and take as long as each other.
    @Test func otherWorkInBetween() async throws {
        let queue = PoolQueue(threadCount: 1, pendingLimit: .max, batchSize: (4, 4))
        let blocker = await Blocker(occupying: queue)
        let salts = MessageHeader.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let (request, other) = (
            KeyRequest(SecretBytes([1]), salts), KeyRequest(SecretBytes([1]), iterations: 2, salts)
        )
        var tasks: [Task<Void, any Error>] = []
        for (number, kind) in "dddjdooj".enumerated() {
            tasks.append(
                Task {
                    switch kind {
                    case "d": try await queue.derive(request) { _ in }
                    case "o": try await queue.derive(other) { _ in }
                    default: try await queue.run { _ in }
                    }
                })
            await until { queue.count == number + 1 }
        }
        var found: [Int] = []
        while case let batch = queue.takeNext(), !batch.isEmpty {
            found.append(batch[0].request == nil ? -batch.count : batch.count)
            queue.finish(batch)
        }
        #expect(found == [3, -1, 1, 2, -1])
        for task in tasks { try await task.value }
        blocker.open()
    }

    /// A batch holds messages of several callers. The failure of one of them is its own.
    @Test(
        .enabled(if: ProcessInfo.processInfo.physicalMemory > 8 << 30, "it needs 8 GiB of memory"))
    func aFailureInABatch() async throws {
        let queue = PoolQueue(threadCount: 1, pendingLimit: .max, batchSize: (4, 4))
        let blocker = await Blocker(occupying: queue)
        let salts = MessageHeader.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        // PBKDF2 takes no password of 2 GiB. Its memory is never written before it is cleansed.
        let tooLong = SecretBytes(byteCapacity: 1 << 31) { output in
            output.withUnsafeMutableBytes { bytes, count in count = bytes.count }
        }
        let tasks = [SecretBytes([1]), tooLong, SecretBytes([2])].map { password in
            Task {
                try await queue.derive(KeyRequest(password, salts)) {
                    $0.copyKeys().hmacKey
                }
            }
        }
        await until { queue.count == 3 }
        blocker.open()
        let found = [
            try? await tasks[0].value, try? await tasks[1].value, try? await tasks[2].value,
        ]
        let expected = try [1, 2].map {
            try KeyRequest(SecretBytes([$0]), salts).keys().copyKeys().hmacKey
        }
        #expect(found == [expected[0], nil, expected[1]])
    }

    /// A full pool refuses messages: a service may rather refuse a request than be late with all of
    /// them.
    @Test func aFullPoolRefuses() async throws {
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 3)
        let message = try Cryptor.encrypt([1, 2, 3], with: password)
        for _ in 0..<2 {
            let blocker = await Blocker(occupying: pool.messages)
            let waiting = (0..<2).map { _ in
                Task { try await pool.decrypt(message, with: password) }
            }
            await until { pool.messages.count == 2 }
            for _ in 0..<5 {
                let error = await #expect(throws: CryptorError.self) {
                    try await pool.decrypt(message, with: password)
                }
                #expect(error?.code == .overloaded)
            }
            #expect(pool.messages.count == 2)
            blocker.open()
            for task in waiting { #expect(try await task.value == [1, 2, 3]) }
            // The blocker's own call may still be ending.
            while (try? await pool.decrypt(message, with: password)) == nil {}
        }
    }

    // MARK: Cancellation

    /// A file or a sequence that is cancelled before it has begun, or under way, ends at once and
    /// leaves nothing.
    @Test(arguments: [false, true])
    func cancelledFiles(isUnderWay: Bool) async throws {
        let pool = CryptorPool(threadCount: 1)
        let directory = try TemporaryDirectory()
        try directory.write(LongBytes.bytes(3 << 20), to: "plain")
        let (source, destination, keys) = (directory.path("plain"), directory.path("message"), keys)
        let blocker = isUnderWay ? nil : await Blocker(occupying: pool.files)
        let (started, isCancelled) = (Tally(), DispatchSemaphore(value: 0))
        let task = Task {
            try await pool.encryptFile(at: source, to: destination, with: keys) { _ in
                started.add()
                if started.count == 1 { isCancelled.wait() }
            }
        }
        await until { isUnderWay ? started.count == 1 : pool.files.count == 1 }
        task.cancel()
        isCancelled.signal()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled && (isUnderWay || pool.files.count == 0))
        blocker?.open()
        #expect(try directory.names() == ["plain"])
    }

    /// Work that is cancelled in the queue is not done. Its secrets are cleansed, and others get
    /// their turn.
    @Test func cancelledWhileWaiting() async throws {
        /// Gone means cleansed.
        final class Witness: Sendable {
            nonisolated(unsafe) weak var secret: SecretBytes?
            init(_ secret: SecretBytes) { self.secret = secret }
        }
        var witnesses: [Witness] = []
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 7)
        let blocker = await Blocker(occupying: pool.messages)
        let tasks = (0..<6).map { index in
            let secret = SecretBytes(Array("password \(index)".utf8))
            witnesses.append(Witness(secret))
            return Task {
                [
                    credential = Credential([
                        Candidate(secret: .password(secret, iterations: 10_000))
                    ])
                ] in
                try await pool.encrypt([1], with: credential)
            }
        }
        await until { pool.messages.count == 6 }
        for task in tasks { task.cancel() }
        for task in tasks {
            let error = await #expect(throws: CryptorError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(pool.messages.count == 0)
        // So is work whose task is cancelled before it gets to the pool.
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            await #expect(throws: CryptorError.cancelled) {
                try await pool.encrypt([1], with: keys)
            }
            return try await pool.encrypt([1], with: password)
        }
        late.cancel()
        let error = await #expect(throws: CryptorError.self) { try await late.value }
        #expect(error?.code == .cancelled)
        // What is forgotten is only what was cancelled, however much that is.
        let waiting = Task { try await pool.encrypt([4], with: password) }
        await until { pool.messages.count == 1 }
        for _ in 0..<20 {
            let several = (0..<5).map { _ in Task { try await pool.encrypt([1], with: password) } }
            await until { pool.messages.count == 6 }
            for task in several { task.cancel() }
            await until { pool.messages.count == 1 }
        }
        let all = witnesses
        await until { all.allSatisfy { $0.secret == nil } }
        let later = Task { try await pool.encrypt([1, 2, 3], with: password) }
        await until { pool.messages.count == 2 }
        let others = (0..<4).map { _ in Task { try await pool.encrypt([1], with: password) } }
        await until { pool.messages.count == 6 }
        let refusal = await #expect(throws: CryptorError.self) {
            try await pool.encrypt([1], with: password)
        }
        #expect(refusal?.code == .overloaded)
        blocker.open()
        for task in others { _ = try await task.value }
        #expect(try Cryptor.decrypt(try await waiting.value, with: password) == [4])
        #expect(try Cryptor.decrypt(try await later.value, with: password) == [1, 2, 3])
    }

    /// Work that has begun is finished, whenever its task is cancelled, and no task waits forever.
    @Test func cancelledAtRandomMoments() async throws {
        let pool = CryptorPool(threadCount: 2)
        var generator = SeededGenerator()
        for _ in 0..<rounds(4, thorough: 20) {
            let tasks = (0..<20).map { index in
                Task {
                    try await pool.encrypt(
                        [UInt8](repeating: 7, count: index * 8000), with: password)
                }
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &generator)))
            for task in tasks { task.cancel() }
            for (index, task) in tasks.enumerated() {
                switch await task.result {
                case .success(let message):
                    #expect(
                        try Cryptor.decrypt(message, with: password).count == index * 8000,
                        "\(generator)")
                case .failure(let error):
                    #expect((error as? CryptorError)?.code == .cancelled, "\(generator)")
                }
            }
        }
        #expect(pool.messages.count == 0)
        #expect(
            try await pool.decrypt(try await pool.encrypt([1], with: password), with: password) == [
                1
            ])
    }
}
