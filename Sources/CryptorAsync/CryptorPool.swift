import CryptorSystem
import CryptorFormat
import CryptorFiles
import CryptorPrimitives

/// Threads for work that takes long: deriving keys from passwords, large messages, files. Swift's
/// own threads, of which there are only as many as cores, stay free for other tasks meanwhile.
///
/// ```swift
/// let plaintext = try await CryptorPool.shared.decrypt(message, with: credential)
/// ```
/// A pool has two queues, and threads for each: one for messages and keys, and one for files, which
/// may have to wait for disks and pipes and never delay a message. Both are worked on in the order
/// in which work came. The keys of several waiting messages are derived together where the
/// processor does that in less time than one after another.
///
/// A task that is cancelled while its work waits gets `cancelled` at once, and the work, with its
/// secrets, is dropped. Work on a message that has begun is finished; work on a file stops soon.
///
/// In a child after `fork(2)` nothing can be awaited, neither from this pool nor from anything
/// else: the child has none of Swift's own threads. The synchronous functions of this library work
/// there: those for files, streams and messages, and ``KeyedCryptor``.
///
/// Threads start when there is work for them, and end when the last reference to the pool has gone;
/// those of ``shared`` stay.
public final class CryptorPool: Sendable {
    /// The pool that the whole program shares, with as many threads for messages, and for files, as
    /// there are cores. It refuses nothing.
    public static let shared = CryptorPool()

    /// Work on no more bytes than this stays on its thread: waking another would cost as much as a
    /// part of the work.
    static let smallByteCount = 64 * 1024

    let messages: PoolQueue
    let files: PoolQueue
    let pending = PendingCalls()

    /// Creates a separate pool. It has no threads before there is work.
    /// - Parameters:
    ///   - threadCount: the most threads for messages, and as many again for files, clamped to the
    ///     range 1 to 65,536; nil for as many as there are cores.
    ///   - maximumPendingCount: how many messages may wait or be worked on at a time, at least 1.
    ///     Further calls throw `overloaded` at once, so that a service can report it instead of
    ///     being late with everything. Nil if all calls wait. Files always wait.
    ///
    ///     A call that throws `overloaded` has consumed nothing: it may be repeated with the same
    ///     source. So a call that reads a sequence is admitted or refused before it asks for the
    ///     first chunk. To write, it derives its keys then, so a client that goes on to send
    ///     nothing has cost one derivation. To read, it holds no place while it waits for its
    ///     source, and is not refused later: as many calls as were admitted may pass the limit.
    public convenience init(threadCount: Int? = nil, maximumPendingCount: Int? = nil) {
        self.init(
            threadCount: threadCount, maximumPendingCount: maximumPendingCount,
            batchSize: PBKDF2.batchSize())
    }

    /// - Parameter batchSize: how many messages have their keys derived together, if few and if
    ///   many wait.
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

    /// How many calls wait for a thread or are worked on, for messages and files together: a gauge,
    /// which may have changed when you read it.
    ///
    /// Small messages under keys do not need the pool, and do not count. A sequence counts only
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
    /// A call that comes later is admitted as always. The last call may end before the task that
    /// awaited it goes on, and a task that reads a sequence, such as that of
    /// ``VerifiedFile/chunks(of:upTo:on:)``, needs the pool again and again: wait for such tasks as
    /// well.
    /// - Throws: `cancelled` at once if the task is cancelled, whether or not calls are pending.
    ///   The calls go on.
    public func waitUntilIdle() async throws(CryptorError) { try await pending.waitUntilNone() }

    // MARK: For messages

    /// Derives the keys and runs `body` with them. For little work, they are perhaps derived
    /// together with those of others, who would wait for other work.
    func perform<Value: Sendable>(
        _ source: KeySource, byteCount: Int, isAdmitted: Bool = false,
        _ body: @escaping @Sendable (MessageKeys) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        guard byteCount <= Self.smallByteCount else {
            return try await messages.run(isAdmitted: isAdmitted) { (_) throws(CryptorError) in
                try body(try source.keys())
            }
        }
        guard source.isDerived else { return try body(try await keys(from: source)) }
        return try await messages.derive(source, isAdmitted: isAdmitted, body)
    }

    /// Returns the keys, which the pool derives if that is necessary.
    func keys(from source: KeySource, isAdmitted: Bool = false) async throws(CryptorError)
        -> MessageKeys
    {
        if Task.isCancelled { throw .cancelled }
        guard source.isDerived else { return try source.keys() }
        return try await messages.derive(source, isAdmitted: isAdmitted) { $0 }
    }

    /// Admits or refuses a call that will read messages of up to so many bytes, before it asks its
    /// source for anything.
    /// - Throws: `overloaded` or `cancelled`.
    func admit(reading opener: MessageOpener, upTo byteCount: Int) throws(CryptorError) {
        if Task.isCancelled { throw .cancelled }
        if opener.needsDerivationOrSearch || byteCount > Self.smallByteCount {
            try messages.admit()
        }
    }
}
