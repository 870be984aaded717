import CryptorPrimitives

/// Whether large work is spread over two threads.
public enum Concurrency: Sendable {
    /// Cipher and HMAC of a stream, a whole message or a file run side by side from 256 to 512 KiB on, while a core is
    /// free for the second thread. The process never has more such threads than cores; work that found no free core
    /// asks again with its next chunk. Smaller work never uses a second thread.
    case automatic

    /// All work is done by the calling thread.
    case serial
}

/// Decides whether a helper may hash the ciphertext of a stream's next chunk.
struct StreamHelp {
    /// The length from which a stream is worth a helper. To wake one earlier costs more than it saves.
    private static let lonelyByteCount = 256 * 1024
    /// From this length on, a chunk is not copied for the helper: the caller waits until it has been hashed instead.
    static let sharedByteCount = 4 * 1024 * 1024
    /// How many bytes are encrypted or decrypted at a time, but for those of ``sharedPartByteCount(ofRest:)``. They stay
    /// in the second-level cache until they are hashed.
    static let pieceByteCount = 256 * 1024

    /// How much of a plaintext is encrypted next, if the helper hashes its ciphertext where it is.
    ///
    /// The helper has to be woken for each part, and the caller waits until the last one has been hashed. So the parts
    /// are long, and become shorter towards the end, each about 5/8 as long as the one before. Where SHA-256 is 1.6 times
    /// as fast as AES-CBC, as with instructions for both, a part has been hashed when the next one is encrypted.
    static func sharedPartByteCount(ofRest rest: Int) -> Int {
        let (shortest, longest) = (64 * 1024, 1024 * 1024)
        let part = min(max(rest / 8 * 3, shortest), longest) / shortest * shortest
        return rest < part + shortest ? rest : part
    }

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
