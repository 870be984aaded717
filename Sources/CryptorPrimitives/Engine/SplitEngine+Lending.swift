/// What a worker hashes.
///
/// Borrowed bytes are the caller's own memory. That is safe because only ``SplitEngine`` below
/// hands them over, in a call of its caller's, who may not change them meanwhile (`RawSpan`, or
/// what was already appended to `output`). This call ends only when the worker has hashed
/// everything, whether it returns or throws.
// Not private, because the compiler of Swift 6.3 would crash. Unchecked because of borrowed bytes.
enum HashedPiece: @unchecked Sendable {
    case owned([UInt8])
    case borrowed(UnsafeRawBufferPointer)
}

extension SplitEngine {
    /// Hashes the bytes that `body` appends to `output`. The worker hashes one part while `body`
    /// makes the next.
    /// - Parameter body: called again and again until it returns false.
    mutating func hashLending(
        _ output: inout OutputRawSpan,
        _ body: (inout OutputRawSpan) throws(OpenSSLError) -> Bool
    ) throws(OpenSSLError) {
        try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
            try lending { (engine) throws(OpenSSLError) in
                var hasMore = true
                while hasMore {
                    let start = count
                    var span = OutputRawSpan(buffer: buffer, initializedCount: count)
                    defer { count = span.byteCount }
                    hasMore = try body(&span)
                    let part = UnsafeRawBufferPointer(rebasing: buffer[start..<span.byteCount])
                    _ = try engine.handOver(.borrowed(part))
                }
            }
        }
    }

    /// Hashes `bytes` piece by piece. The worker hashes each piece while `body` does something else
    /// with it.
    mutating func hashLending(
        _ bytes: RawSpan, _ body: (RawSpan) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        try bytes.withUnsafeBytes { (buffer) throws(OpenSSLError) in
            try lending { (engine) throws(OpenSSLError) in
                for start in stride(from: 0, to: buffer.count, by: Self.pieceByteCount) {
                    let end = min(start + Self.pieceByteCount, buffer.count)
                    let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                    _ = try engine.handOver(.borrowed(piece))
                    try body(piece.bytes)
                }
            }
        }
    }

    /// How much of a plaintext is encrypted next, if a worker hashes its ciphertext where it is.
    ///
    /// The worker must be woken for each part, and the caller waits until the last one has been
    /// hashed. So the parts are long, and become shorter towards the end, each about 5/8 as long as
    /// the one before. Where SHA-256 is 1.6 times as fast as AES-CBC, as with instructions for
    /// both, a part has been hashed when the next one is encrypted.
    static func partByteCount(ofRest rest: Int) -> Int {
        let shortest = 64 * 1024
        let longest = 1024 * 1024
        let part = min(max(rest / 8 * 3, shortest), longest) / shortest * shortest
        return rest < part + shortest ? rest : part
    }

    /// Calls `body`, which hands over memory of the caller's. When this returns or throws, no
    /// thread reads it any more.
    private mutating func lending(
        _ body: (inout SplitEngine) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        try handOverCopied()
        let result = Result { () throws(OpenSSLError) in try body(&self) }
        try catchUp()
        try result.get()
    }
}
