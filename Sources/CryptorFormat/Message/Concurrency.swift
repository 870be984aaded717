import CryptorPrimitives

/// Whether large work is spread over two threads.
public enum Concurrency: Sendable {
    /// Cipher and HMAC run side by side while a core is free for the second thread: of streams, whole messages and files after
    /// their first 256 to 512 KiB. Over the whole process there are no more such threads than cores; whoever found none asks
    /// again with the next chunk. Smaller work never touches a thread.
    case automatic

    /// All work is done by the calling thread.
    case serial
}

/// Whether a helper may hash what a stream's next chunk becomes.
struct StreamHelp {
    /// What comes before costs less than a helper.
    private static let lonelyByteCount = 256 * 1024
    /// Of a chunk of so many bytes nothing is copied for the helper: the caller waits for the end of it instead.
    static let sharedByteCount = 4 * 1024 * 1024
    /// What is ciphered at a time, and stays in the second-level cache until it is hashed.
    static let pieceByteCount = 256 * 1024

    private let concurrency: Concurrency
    private var byteCount = 0

    init(_ concurrency: Concurrency) {
        self.concurrency = concurrency
    }

    /// The caller's place among the busy threads, perhaps with a helper.
    mutating func place(forNext count: Int) -> CoreBudget {
        if byteCount < Self.lonelyByteCount { byteCount += min(count, Self.lonelyByteCount) }
        return CoreBudget(isLarge: concurrency == .automatic && byteCount >= Self.lonelyByteCount)
    }
}
