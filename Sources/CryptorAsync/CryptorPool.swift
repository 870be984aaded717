import CryptorSystem
import CryptorFormat
import CryptorFiles
import CryptorPrimitives

/// A thread pool for slow work: key derivation from passwords, large messages, files. Swift's own
/// threads, only as many as there are cores, stay free for other tasks.
///
/// ```swift
/// let plaintext = try await CryptorPool.shared.decrypt(message, with: credential)
/// ```
/// A pool has two queues, and threads for each: one for messages and keys, and one for files, which
/// may wait for disks and pipes but never delay a message. Both are first in, first out. The keys
/// of several waiting messages are derived together if that is faster on the processor.
///
/// A task that is cancelled while its work waits gets `cancelled` at once, and the work is dropped
/// with its secrets. Work on a message that has begun is completed; work on a file stops soon.
///
/// In a child after `fork(2)`, you cannot await anything, from this pool or elsewhere: the child
/// has none of Swift's own threads. The synchronous functions of this library work there: those for
/// files, streams and messages, and `KeyedCryptor`.
///
/// Threads start when there is work for them, and end when the last reference to the pool is
/// released; those of ``shared`` stay.
public final class CryptorPool: Sendable {
    /// The pool that the whole program shares, with as many threads for messages, and for files, as
    /// there are cores. It never refuses work.
    public static let shared = CryptorPool()

    /// Work on no more bytes than this stays on its thread: waking another would cost as much as a
    /// part of the work.
    static let smallByteCount = 64 * 1024

    let messages: PoolQueue
    let files: PoolQueue
    let pending = PendingCalls()

    /// Creates a separate pool. It has no threads before there is work.
    /// - Parameters:
    ///   - threadCount: the maximum number of threads for messages, and as many again for files,
    ///     clamped to the range 1 to 65,536; nil for as many as there are cores.
    ///   - maximumPendingCount: how many messages may wait or be worked on at a time; at least 1,
    ///     also if this is less.
    ///     Further calls throw `overloaded` at once, so that a service can report it instead of
    ///     becoming slow for everybody. Nil for no limit. Files always wait.
    ///
    ///     A call that throws `overloaded` has consumed nothing: it may be repeated with the same
    ///     source. So a call that reads a sequence is admitted or refused before it requests the
    ///     first chunk. A call that encrypts then derives its keys, so a client that sends nothing
    ///     more costs one derivation. A call that decrypts does not count while it waits for its
    ///     source, and is not refused later: the calls that were admitted may exceed the limit.
    public convenience init(threadCount: Int? = nil, maximumPendingCount: Int? = nil) {
        self.init(
            threadCount: threadCount, maximumPendingCount: maximumPendingCount,
            batchSize: PBKDF2.batchSize())
    }

    /// - Parameter batchSize: for how many messages keys are derived together, if few and if many
    ///   wait.
    init(threadCount: Int?, maximumPendingCount: Int? = nil, batchSize: (short: Int, long: Int)) {
        let threadCount = min(max(1, threadCount ?? Cores.count), 65_536)
        let limit = maximumPendingCount.map { max(1, $0) } ?? .max
        messages = PoolQueue(
            threadCount: threadCount, pendingLimit: limit, batchSize: batchSize,
            countingIn: pending)
        files = PoolQueue(
            threadCount: threadCount, pendingLimit: .max, batchSize: batchSize,
            countingIn: pending)
    }

    // MARK: Load

    /// The number of calls that wait for a thread or are being worked on, messages and files
    /// together. It is a gauge, and may have changed by the time you read it.
    ///
    /// Small messages under keys do not use the pool, and do not count. A sequence counts only
    /// while a thread works for it. ``encryptFile(from:to:with:options:isolation:)`` counts once
    /// for the whole call, and once more while a thread works for it.
    public var pendingCount: Int { pending.count }

    /// Waits until no call is pending: ``pendingCount`` was 0 at some moment after this was called.
    ///
    /// To drain a service, stop accepting requests, and then wait:
    ///
    /// ```swift
    /// listener.close()
    /// try await pool.waitUntilIdle()
    /// ```
    /// Later calls are admitted as usual. The last call may end before the task that awaited it
    /// continues, and a task that reads a sequence, such as that of
    /// ``CryptorFiles/VerifiedFile/chunks(of:upTo:on:)``, needs the pool again and again: wait for
    /// such tasks, too.
    /// - Throws: `cancelled` at once if the task is cancelled, whether or not calls are pending.
    ///   Pending calls continue.
    public func waitUntilIdle() async throws(CryptorError) { try await pending.waitUntilNone() }

    // MARK: For messages

    /// Derives the keys and runs `body` with them. For little work, they may be derived together
    /// with those of other calls, which would wait for other work.
    func perform<Value: Sendable>(
        _ request: KeyRequest, byteCount: Int, isAdmitted: Bool = false,
        _ body: @escaping @Sendable (MessageKeys) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        guard byteCount <= Self.smallByteCount else {
            return try await messages.run(isAdmitted: isAdmitted) { (_) throws(CryptorError) in
                try body(try request.keys())
            }
        }
        guard let answer = request.answer else {
            return try await messages.derive(request, isAdmitted: isAdmitted, body)
        }
        if Task.isCancelled { throw .cancelled }
        return try body(answer)
    }

    /// Returns the keys, which the pool derives if that is necessary.
    func keys(for request: KeyRequest, isAdmitted: Bool = false) async throws(CryptorError)
        -> MessageKeys
    {
        if let answer = request.answer { return answer }
        return try await messages.derive(request, isAdmitted: isAdmitted) { $0 }
    }

    /// Admits or refuses a call that will read messages of up to this many bytes, before it reads
    /// from its source.
    /// - Throws: `overloaded` or `cancelled`.
    func admit(with credential: Credential, upTo byteCount: Int) throws(CryptorError) {
        if Task.isCancelled { throw .cancelled }
        if credential.needsDerivationOrSearch || byteCount > Self.smallByteCount {
            try messages.admit()
        }
    }
}
