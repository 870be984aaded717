import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// Makes the ciphertext and the tag of one message whose plaintext comes in arrays, as from a file.
/// A worker runs the cipher, which takes longest, while the caller reads, hashes, and writes the
/// header and the output.
struct FileMessageWriter: ~Copyable {
    private var engine: SplitEngine
    private let cipher: PipelineValue<AESCipher?>
    private var pipeline: Pipeline<MessageChunk, OpenSSLError>

    init(_ header: MessageHeader, keys: MessageKeys) throws(CryptorError) {
        var engine = try openSSL { () throws(OpenSSLError) in
            try SplitEngine(.encrypt, for: header, keys: keys)
        }
        let cipher = PipelineValue(engine.cipher.take())
        pipeline = Pipeline(depth: 4) { (chunk) throws(OpenSSLError) in
            precondition(cipher.value != nil, "the message has ended")
            try keepingReasons { () throws(OpenSSLError) in
                try cipher.value?.update(chunk.input, replacing: &chunk.output)
            }
        }
        self.cipher = cipher
        self.engine = engine
    }

    /// Passes a chunk in.
    /// - Returns: the oldest chunk under way, with its ciphertext; nil while too few are under way.
    mutating func pass(
        _ chunk: consuming MessageChunk, besideCaller: Bool
    ) throws(CryptorError) -> MessageChunk? {
        var chunk = chunk
        // Memory that one thread frees is not reused for another, so this thread allocates the
        // output.
        chunk.output.reserveCapacity(chunk.input.count + FormatSize.block)
        let oldest = try openSSL { () throws(OpenSSLError) in
            try pipeline.pass(chunk, besideCaller: besideCaller)
        }
        return try hashed(oldest)
    }

    /// - Returns: the oldest chunk under way, with its ciphertext; nil if there is none.
    mutating func next() throws(CryptorError) -> MessageChunk? {
        try hashed(openSSL { () throws(OpenSSLError) in try pipeline.next() })
    }

    private mutating func hashed(
        _ chunk: consuming MessageChunk?
    ) throws(CryptorError) -> MessageChunk? {
        guard let chunk else { return nil }
        try openSSL { () throws(OpenSSLError) in
            _ = try engine.hash(chunk.output, besideCaller: false)
        }
        return chunk
    }

    /// The rest of the message: the last block and the tag. No chunk may be under way.
    consuming func finish() throws(CryptorError) -> [UInt8] {
        guard try next() == nil else { preconditionFailure("a chunk is under way") }
        engine.cipher = cipher.value.take()
        return try openSSL { () throws(OpenSSLError) in
            try Array(byteCapacity: FormatVersion.written.heldBackByteCount) {
                (output) throws(OpenSSLError) in
                try engine.finishSealing(unhashedFrom: 0, into: &output)
            }
        }
    }
}
