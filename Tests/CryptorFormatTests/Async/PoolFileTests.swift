import CryptorPrimitives
import Foundation
import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Many files on a pool: their keys are derived together, no key is derived in vain, and only a few files are open at a
/// time.
@Suite(.unlessItHangs) struct PoolFileTests {
    private let password: Credential
    private let folder: TemporaryFolder
    private let batches = Guarded<[Int]>([])

    private final class Guarded<Value: Sendable>: Sendable {
        private let state: Mutex<Value>
        init(_ value: Value) { state = Mutex(value) }
        var value: Value { state.withLock { $0 } }
        func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
    }

    init() throws {
        password = try .password("correct horse battery staple")
        folder = try TemporaryFolder()
    }

    /// The path of a file in the folder.
    private var path: @Sendable (String) -> String { { [root = folder.path] name in "\(root)/\(name)" } }

    private func pool(threadCount: Int = 1) -> CryptorPool {
        CryptorPool(threadCount: threadCount, batchCount: 4) { [batches] count in
            batches.change { $0.append(count) }
        }
    }

    /// The errors of `work` on each of `names`. All of the work begins before any of it is done.
    private func onEach(
        _ names: [String], on pool: CryptorPool, isOfOne: Bool = true,
        _ work: @escaping @Sendable (String) async throws(CryptorError) -> Void
    ) async -> [String: CryptorError] {
        // The only thread of a pool is busy until all of the work waits for it.
        let begun = Guarded(0)
        async let busy: Void? = try? await pool.run { () throws(CryptorError) in
            while begun.value < names.count || isOfOne && pool.queue.count < names.count { usleep(1000) }
        }
        let errors = await withTaskGroup(of: (String, CryptorError?).self) { group in
            for name in names {
                group.addTask {
                    begun.change { $0 += 1 }
                    do throws(CryptorError) { try await work(name) } catch { return (name, error) }
                    return (name, nil)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        await busy
        return errors
    }

    @Test func keysAreDerivedTogether() async throws {
        let names = (0..<10).map { "file \($0)" }
        for (index, name) in names.enumerated() { try folder.write(LongBytes.bytes(1000 * index), to: name) }
        let (pool, password, path) = (pool(), password, path)
        var errors = await onEach(names, on: pool) { name throws(CryptorError) in
            try await pool.encryptFile(at: path(name), to: path("\(name).rnc"), with: password)
        }
        #expect(errors.isEmpty, "\(errors)")
        #expect(batches.value == [4, 4, 2], "encryption: \(batches.value)")
        batches.change { $0 = [] }
        let salts = try names.map { try Header(parsing: folder.read("\($0).rnc")).salts }
        #expect(Set(salts).count == 10 && !salts.contains(nil))
        errors = await onEach(names, on: pool) { name throws(CryptorError) in
            try await pool.decryptFile(at: path("\(name).rnc"), to: path("\(name).copy"), with: password)
        }
        #expect(errors.isEmpty, "\(errors)")
        #expect(batches.value == [4, 4, 2], "decryption: \(batches.value)")
        for (index, name) in names.enumerated() {
            #expect(try firstDifference(folder.read("\(name).copy"), LongBytes.bytes(1000 * index)) == nil, "\(name)")
        }
    }

    /// A fault that can be found without a key costs no derivation.
    @Test func onlyMessagesOfASoundShape() async throws {
        let plaintext = LongBytes.bytes(1000)
        let message = try Cryptor.encrypt(plaintext, with: password)
        try folder.write(message, to: "message")
        try folder.write(Cryptor.base64Text(of: try Cryptor.encrypt(plaintext, with: password)), to: "base64")
        try folder.write(try Cryptor.encrypt(plaintext, with: try FileJob.keys(1)), to: "of keys")
        try folder.write(Array(message.dropLast()), to: "of a wrong length")
        try folder.write(Array(message.prefix(20)), to: "short")
        try folder.write([1] + Array(message.dropFirst()), to: "of version 1")
        try folder.write([0x50] + plaintext, to: "no message")
        try folder.write([], to: "empty")
        try folder.makeFolder("folder")
        try folder.write(message, to: "opened before")
        let (pool, password, path) = (pool(), password, path)
        try folder.write([7], to: "opened before.out")
        let names = try folder.names().filter { !$0.hasSuffix(".out") } + ["missing"]
        let errors = await onEach(names, on: pool) { name throws(CryptorError) in
            try await pool.decryptFile(
                at: path(name), to: path("\(name).out"), with: password, acceptingBase64: true)
        }
        #expect(
            errors.mapValues(\.code) == [
                "of keys": .credentialMismatch, "of a wrong length": .invalidMessageLength, "short": .messageTooShort,
                "of version 1": .versionNotAccepted, "no message": .unsupportedVersion, "empty": .messageTooShort,
                "folder": .inputOutput, "missing": .inputOutput, "opened before": .destinationExists,
            ])
        #expect(batches.value.reduce(0, +) == 2, "\(batches.value)")
        for name in ["message", "base64"] { #expect(try folder.read("\(name).out") == plaintext, "\(name)") }
    }

    /// Only a few files are open at a time, because each takes descriptors while it waits for its keys.
    @Test func onlyAFewAreOpen() async throws {
        let names = (0..<200).map { "file \($0)" }
        for name in names { try folder.write([1, 2, 3], to: name) }
        let (pool, keys, path) = (pool(threadCount: 2), try FileJob.keys(1), path)
        let most = Guarded(0)
        let errors = await onEach(names, on: pool, isOfOne: false) { name throws(CryptorError) in
            try await pool.encryptFile(at: path(name), to: path("\(name).rnc"), with: keys) { _ in
                let prefix = path("")
                let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
                        .hasPrefix(prefix) == true
                }
                most.change { $0 = max($0, open ?? 0) }
            }
        }
        #expect(errors.isEmpty)
        // Two threads have a batch of four each. A file takes four descriptors: two folders and two files.
        #expect(most.value <= 10 * 4, "\(most.value) descriptors")
    }

    /// With many threads, too, at most 64 files wait for keys, or have theirs derived, besides one for each thread.
    @Test func onlySoManyWaitForKeys() async throws {
        let names = (0..<176).map { "file \($0)" }
        for name in names { try folder.write([1, 2, 3], to: name) }
        let (threadCount, limit) = (16, 16 + 64)
        let (underWay, most) = (Guarded(0), Guarded(0))
        let pool = CryptorPool(threadCount: threadCount, batchCount: 8) { count in
            underWay.change { $0 += count }
            // All threads for which there are files get here before one of them goes on.
            for _ in 0..<500 where underWay.value <= limit { usleep(1000) }
            most.change { $0 = max($0, underWay.value) }
            underWay.change { $0 -= count }
        }
        let (password, path) = (password, path)
        let errors = await onEach(names, on: pool, isOfOne: false) { name throws(CryptorError) in
            try await pool.encryptFile(at: path(name), to: path("\(name).rnc"), with: password)
        }
        #expect(errors.isEmpty, "\(errors)")
        #expect(8...limit ~= most.value, "\(most.value) at a time")
    }

    /// While as many files are open as are allowed, other threads look for work, find none, and sleep. The files that
    /// wait are not forgotten then, whichever thread closes a file first.
    @Test(arguments: [(threadCount: 16, batchCount: 8), (24, 4), (40, 64)])
    func nothingIsForgotten(threadCount: Int, batchCount: Int) async throws {
        let names = (0..<6 * (threadCount + 64)).map { "file \($0)" }
        for name in names { try folder.write([1, 2, 3], to: name) }
        let pool = CryptorPool(threadCount: threadCount, batchCount: batchCount) { _ in usleep(20_000) }
        let (password, path) = (password, path)
        let errors = await onEach(names, on: pool, isOfOne: false) { name throws(CryptorError) in
            try await pool.encryptFile(at: path(name), to: path("\(name).rnc"), with: password)
        }
        #expect(errors.isEmpty, "\(errors)")
    }

    /// A file waits to be opened, then for its keys, then for a thread. A task that is cancelled meanwhile ends at
    /// once, not when its turn comes, and its file is closed. Here the file before it holds the only thread.
    @Test(arguments: [(few: 1, many: 1), (1, 8), (4, 4)])
    func cancelledWhereverItWaits(few: Int, many: Int) async throws {
        let pool = CryptorPool(
            threadCount: 1, maximumWaitingCount: 16, whenFull: .wait, pairsAtATime: (few, many))
        let names = ["first", "cancelled", "late", "kept"]
        for name in names { try folder.write(LongBytes.bytes(1000), to: name) }
        try folder.write(LongBytes.bytes(200_000), to: "first")
        let (password, path) = (password, path)
        let (isHeld, release) = (Tally(), DispatchSemaphore(value: 0))
        let encrypt = { @Sendable (name: String) async throws(CryptorError) in
            try await pool.encryptFile(
                at: path(name), to: path("\(name).rnc"), with: password, removingSource: true
            ) { _ in
                guard name == "first", isHeld.count == 0 else { return }
                isHeld.add()
                release.wait()
            }
        }
        let blocker = await Blocker(occupying: pool)
        let isLate = Tally()
        var tasks: [String: Task<Void, any Error>] = [:]
        for name in names {
            tasks[name] = Task {
                guard name == "late" else { return try await encrypt(name) }
                // A deadline cancels this task, once the first file holds the thread.
                let work = Task { try await encrypt(name) }
                await until { isLate.count > 0 }
                try await CryptorPool.within(.zero) {
                    try await withTaskCancellationHandler {
                        try await work.value
                    } onCancel: {
                        work.cancel()
                    }
                }
            }
            await until { pool.queue.count == tasks.count }
        }
        blocker.open()
        await until { isHeld.count > 0 }
        isLate.add()
        tasks["cancelled"]?.cancel()
        for (name, code) in [("cancelled", CryptorError.Code.cancelled), ("late", .timedOut)] {
            let error = await #expect(throws: CryptorError.self, "\(name)") { try await tasks[name]?.value }
            #expect(error?.code == code, "\(name)")
        }
        #expect(pool.queue.count == 1, "what is not cancelled waits")
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        for name in ["cancelled", "late"] { #expect(!open.contains(path(name)), "\(name) is closed") }
        release.signal()
        for name in ["first", "kept"] { try await tasks[name]?.value }
        #expect(try folder.names().sorted() == ["cancelled", "first.rnc", "kept.rnc", "late"])
    }

    // MARK: From code that is not asynchronous

    @Test(arguments: [1, 2, 4])
    func runsAndWaits(threadCount: Int) throws {
        let (pool, password, path) = (pool(threadCount: threadCount), password, path)
        let names = (0..<20).map { "file \($0)" }
        for name in names { try folder.write([1, 2, 3], to: name) }
        let threads = Guarded<Set<UInt>>([])
        let count = try pool.runAndWait { () async throws(CryptorError) -> Int in
            let sums = await withTaskGroup(of: Int.self) { group in
                for name in names {
                    group.addTask {
                        threads.change { _ = $0.insert(UInt(bitPattern: pthread_self().hashValue)) }
                        try? await pool.encryptFile(
                            at: path(name), to: path("\(name).rnc"), with: password)
                        return (try? await pool.verifyFile(at: path("\(name).rnc"), with: password)) ?? 0
                    }
                }
                return await group.reduce(0, +)
            }
            return sums
        }
        #expect(count == 60)
        #expect(threads.value.count <= threadCount, "the calling thread counts among them")
        let error = #expect(throws: CryptorError.self) {
            try pool.runAndWait { () async throws(CryptorError) in
                _ = try await pool.verifyFile(at: path("none"), with: password)
            }
        }
        #expect(error?.code == .inputOutput)
    }

    /// Nothing of the operation, which may hold secrets, is left on another thread when the caller goes on.
    @Test func runsAndLeavesNothing() {
        final class Held: Sendable {}
        let pool = CryptorPool(threadCount: 3)
        var leftCount = 0
        for _ in 0..<3000 {
            weak var left: Held?
            do {
                let held = Held()
                left = held
                let operation = { @Sendable [held] in
                    await Task.yield()
                    withExtendedLifetime(held) {}
                }
                pool.runAndWait(operation)
            }
            if left != nil { leftCount += 1 }
        }
        #expect(leftCount == 0)
    }

    /// Work that arrives while a guest thread is leaving is left to the next thread.
    @Test func runsAndLeaves() async throws {
        for round in 0..<20 {
            let pool = CryptorPool(threadCount: 1)
            let (isThere, isAdded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                let stay = { @Sendable in
                    isThere.signal()
                    isAdded.wait()
                }
                pool.runAndWait { stay() }
            }
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    isThere.wait()
                    continuation.resume()
                }
            }
            async let value = pool.run { () throws(CryptorError) in 1 }
            while pool.queue.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
            // Nobody hears the call for a thread: the only one is the guest, at its last piece of work.
            try await Task.sleep(for: .milliseconds(2))
            isAdded.signal()
            #expect(try await value == 1, "round \(round)")
        }
    }

    /// If no thread can be started, the calling thread does all of the work.
    @Test func runsWithoutAThread() throws {
        let (password, path) = (password, path)
        try folder.write([1, 2, 3], to: "file")
        let count = try ThreadCrew.$hasNoThreads.withValue(true) {
            let pool = CryptorPool(threadCount: 8)
            return try pool.runAndWait { () async throws(CryptorError) -> Int in
                try await pool.encryptFile(at: path("file"), to: path("file.rnc"), with: password)
                return try await pool.verifyFile(at: path("file.rnc"), with: password)
            }
        }
        #expect(count == 3)
    }
}
