import CryptorPrimitives
import Foundation
import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Many files on a pool.
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
                at: path(name), to: path("\(name).out"), with: password, options: FileOptions(base64: true))
        }
        #expect(
            errors.mapValues(\.code) == [
                "of keys": .credentialMismatch, "of a wrong length": .invalidMessageLength, "short": .messageTooShort,
                "of version 1": .versionNotAccepted, "no message": .unsupportedVersion, "empty": .messageTooShort,
                "folder": .inputOutput, "missing": .inputOutput, "opened before": .destinationExists,
            ])
        for name in ["message", "base64"] { #expect(try folder.read("\(name).out") == plaintext, "\(name)") }
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
