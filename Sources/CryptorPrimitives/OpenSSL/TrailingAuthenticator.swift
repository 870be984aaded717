import CryptorSystem

/// An HMAC that trails the bytes that it authenticates: a worker may hash them while the caller makes the next ones.
package struct TrailingAuthenticator: ~Copyable, Sendable {
    /// How much is copied for the worker at a time. On a virtual machine, waking it costs as much as hashing 16 KiB.
    private static let copiedByteCount = 128 * 1024
    /// How much is handed over at a time if the memory stays where it is.
    private static let borrowedByteCount = 256 * 1024
    /// The most pieces under way. More of them than a worker needs, because memory that has just been hashed is slower
    /// to write to than memory that has been idle.
    private static let depth = 8

    // The first property: if it were a small one, the compiler of Swift 6.3 would crash with ThreadSanitizer.
    private let authenticator: PipelineValue<HMACAuthenticator>
    /// Nil until a worker is wanted for the first time.
    private var pipeline: Pipeline<HashedPiece, OpenSSLError>?
    /// The bytes that have been copied and not handed over yet.
    private var copied: [UInt8] = []

    package init(_ authenticator: consuming HMACAuthenticator) {
        self.authenticator = PipelineValue(authenticator)
    }

    /// Adds bytes. If a worker may hash them, they are copied.
    package mutating func update(_ bytes: RawSpan, besideCaller: Bool = false) throws(OpenSSLError)
    {
        guard besideCaller else {
            try catchUp()
            return try authenticator.value.update(bytes)
        }
        var offset = 0
        while offset < bytes.byteCount {
            let end = min(offset + Self.copiedByteCount - copied.count, bytes.byteCount)
            copied.append(contentsOf: bytes.extracting(offset..<end))
            offset = end
            if copied.count == Self.copiedByteCount { try handOverCopied() }
        }
    }

    /// Adds bytes, which a worker may hash while the caller reads them.
    /// - Returns: an array that is not needed any more, to be filled with other bytes; nil if there is none yet.
    package mutating func update(_ bytes: [UInt8], besideCaller: Bool) throws(OpenSSLError)
        -> [UInt8]?
    {
        guard besideCaller else {
            try catchUp()
            try authenticator.value.update(bytes)
            return bytes
        }
        try handOverCopied()
        return try handOver(HashedPiece(owned: bytes))
    }

    /// Adds what `body` appends to `output`. The worker hashes one part while `body` makes the next.
    /// - Parameter body: called again and again until it returns false.
    package mutating func follow(
        _ output: inout OutputRawSpan, _ body: (inout OutputRawSpan) throws(OpenSSLError) -> Bool
    ) throws(OpenSSLError) {
        try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
            try lending { (authenticator) throws(OpenSSLError) in
                var hasMore = true
                while hasMore {
                    let start = count
                    var span = OutputRawSpan(buffer: buffer, initializedCount: count)
                    defer { count = span.byteCount }
                    hasMore = try body(&span)
                    let part = UnsafeRawBufferPointer(rebasing: buffer[start..<span.byteCount])
                    _ = try authenticator.handOver(HashedPiece(borrowed: part))
                }
            }
        }
    }

    /// Adds `bytes` part by part. The worker hashes each part while `body` does something else with it.
    package mutating func lead(
        _ bytes: RawSpan, _ body: (RawSpan) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        try bytes.withUnsafeBytes { (buffer) throws(OpenSSLError) in
            try lending { (authenticator) throws(OpenSSLError) in
                for start in stride(from: 0, to: buffer.count, by: Self.borrowedByteCount) {
                    let end = min(start + Self.borrowedByteCount, buffer.count)
                    let part = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                    _ = try authenticator.handOver(HashedPiece(borrowed: part))
                    try body(part.bytes)
                }
            }
        }
    }

    /// Appends the tag. Nothing can be added afterwards.
    package mutating func finish(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try catchUp()
        try authenticator.value.finish(into: &output)
    }

    /// Whether the tag equals `expected`, compared in constant time. Nothing can be added afterwards.
    package mutating func finish(matching expected: RawSpan) throws(OpenSSLError) -> Bool {
        try catchUp()
        return try authenticator.value.finish(matching: expected)
    }

    // MARK: On the way to the worker

    private mutating func handOverCopied() throws(OpenSSLError) {
        guard !copied.isEmpty else { return }
        let piece = HashedPiece(owned: copied)
        copied = []
        copied = try handOver(piece) ?? []
        copied.removeAll(keepingCapacity: true)
    }

    /// - Returns: an array that is not needed any more, if there is one.
    private mutating func handOver(_ piece: consuming HashedPiece) throws(OpenSSLError) -> [UInt8]?
    {
        if pipeline == nil {
            let authenticator = authenticator
            pipeline = Pipeline(depth: Self.depth) { (piece) throws(OpenSSLError) in
                if let bytes = piece.borrowed { return try authenticator.value.update(bytes.bytes) }
                try authenticator.value.update(piece.owned)
            }
        }
        return try pipeline?.pass(piece, besideCaller: true)?.owned
    }

    /// Returns when all that was added has been hashed.
    private mutating func catchUp() throws(OpenSSLError) {
        while try pipeline?.next() != nil {}
        guard !copied.isEmpty else { return }
        try authenticator.value.update(copied)
        copied.removeAll(keepingCapacity: true)
    }

    /// Calls `body`, which hands over memory of the caller's. When this returns or throws, no thread reads it any more.
    private mutating func lending(
        _ body: (inout TrailingAuthenticator) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        try handOverCopied()
        let result = Result { () throws(OpenSSLError) in try body(&self) }
        try catchUp()
        try result.get()
    }
}

/// Bytes in an array, or in memory of the caller's.
// Not private, because the compiler of Swift 6.3 would crash. Unchecked: that memory stays valid until the piece has come
// out of the pipeline.
struct HashedPiece: @unchecked Sendable {
    var owned: [UInt8] = []
    var borrowed: UnsafeRawBufferPointer?
}
