import CryptorPrimitives
import CryptorSystem

/// Writes one message: its header, its ciphertext, and the tag, in this order. `FileMessageWriter` encrypts files,
/// and `KeyedCryptor` short messages.
struct MessageWriter: ~Copyable, Sendable {
    private var cipher: AESCipher
    private var tag: TrailingAuthenticator
    /// The header until it has been written, then empty.
    private var unwrittenHeader: [UInt8]
    private var secondThread = SecondThread()

    init(_ header: Header, keys: KeyPair) throws(CryptorError) {
        let cipher = try openSSL { () throws(OpenSSLError) in
            try AESCipher(.encrypt, for: header, keys: keys)
        }
        let tag = try TrailingAuthenticator(hmacKey: keys.hmacKey, header: header)
        self.cipher = cipher
        self.tag = tag
        unwrittenHeader = header.bytes
    }

    /// Exactly how many bytes `write` appends for `plaintextByteCount` bytes.
    func outputByteCount(for plaintextByteCount: Int) -> Int {
        unwrittenHeader.count + cipher.outputByteCount(for: plaintextByteCount)
    }

    /// How many bytes `finish` appends.
    var endByteCount: Int { unwrittenHeader.count + FormatSize.tail }

    /// Appends what is complete: the header before all else, then whole blocks. `output` must have room for them.
    @_lifetime(output: copy output)
    mutating func write(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError)
    {
        writeHeader(into: &output)
        let cores = secondThread.reserveCores(forNext: plaintext.byteCount)
        try openSSL { () throws(OpenSSLError) in
            try Self.encrypt(
                plaintext, into: &output, cipher: &cipher, tag: &tag,
                besideCaller: cores.includeSecond)
        }
    }

    @_lifetime(output: copy output)
    private static func encrypt(
        _ plaintext: RawSpan, into output: inout OutputRawSpan, cipher: inout AESCipher,
        tag: inout TrailingAuthenticator, besideCaller: Bool
    ) throws(OpenSSLError) {
        if besideCaller, plaintext.byteCount >= MessagePiece.sharedByteCount {
            var offset = 0
            return try tag.follow(&output) { (output) throws(OpenSSLError) in
                let count = MessagePiece.partByteCount(ofRest: plaintext.byteCount - offset)
                try cipher.update(plaintext.extracting(offset..<offset + count), into: &output)
                offset += count
                return offset < plaintext.byteCount
            }
        }
        for start in stride(from: 0, to: plaintext.byteCount, by: MessagePiece.byteCount) {
            let written = output.byteCount
            let piece = plaintext.extracting(droppingFirst: start).extracting(
                first: MessagePiece.byteCount)
            try cipher.update(piece, into: &output)
            try tag.update(
                output.bytes.extracting(droppingFirst: written), besideCaller: besideCaller)
        }
    }

    /// Appends the rest: the last block and the tag. `output` must have room for them.
    @_lifetime(output: copy output)
    mutating func finish(into output: inout OutputRawSpan) throws(CryptorError) {
        writeHeader(into: &output)
        try tag.end(&cipher, into: &output)
    }

    private mutating func writeHeader(into output: inout OutputRawSpan) {
        guard !unwrittenHeader.isEmpty else { return }
        withRawSpan(of: unwrittenHeader) { header in header.append(to: &output) }
        unwrittenHeader = []
    }
}

/// Makes the ciphertext and the tag of one message whose plaintext comes in arrays, as from a file. A worker runs the
/// cipher, which takes longest, while the caller reads, hashes, and writes the header and the output.
package struct FileMessageWriter: ~Copyable {
    private let cipher: PipelineValue<AESCipher>
    private var pipeline: Pipeline<MessageChunk, CryptorError>
    private var tag: TrailingAuthenticator

    package init(_ header: Header, keys: KeyPair) throws(CryptorError) {
        let cipher = PipelineValue(
            try openSSL { () throws(OpenSSLError) in
                try AESCipher(.encrypt, for: header, keys: keys)
            })
        tag = try TrailingAuthenticator(hmacKey: keys.hmacKey, header: header)
        self.cipher = cipher
        pipeline = Pipeline(depth: 4) { (chunk) throws(CryptorError) in
            try openSSL { () throws(OpenSSLError) in
                try cipher.value.update(chunk.input, replacing: &chunk.output)
            }
        }
    }

    /// Passes a chunk in.
    /// - Returns: the oldest chunk under way, with its ciphertext; nil while too few are under way.
    package mutating func pass(_ chunk: consuming MessageChunk, besideCaller: Bool)
        throws(CryptorError)
        -> MessageChunk?
    {
        var chunk = chunk
        // Memory that one thread frees is not reused for another, so this thread allocates the output.
        chunk.output.reserveCapacity(chunk.input.count + FormatSize.block)
        return try authenticated(try pipeline.pass(chunk, besideCaller: besideCaller))
    }

    /// - Returns: the oldest chunk under way, with its ciphertext; nil if there is none.
    package mutating func next() throws(CryptorError) -> MessageChunk? {
        try authenticated(try pipeline.next())
    }

    private mutating func authenticated(_ chunk: consuming MessageChunk?) throws(CryptorError)
        -> MessageChunk?
    {
        guard let chunk else { return nil }
        try openSSL { () throws(OpenSSLError) in
            _ = try tag.update(chunk.output, besideCaller: false)
        }
        return chunk
    }

    /// The rest of the message: the last block and the tag. No chunk may be under way.
    package mutating func finish() throws(CryptorError) -> [UInt8] {
        // With ThreadSanitizer, the compiler of Swift 6.3 takes the property for an access to all of this writer.
        let cipher = cipher
        return try Array(byteCapacity: FormatSize.tail) { (output) throws(CryptorError) in
            try tag.end(&cipher.value, into: &output)
        }
    }
}

extension TrailingAuthenticator {
    /// Appends the last block and the tag, which covers that block too.
    @_lifetime(output: copy output)
    fileprivate mutating func end(
        _ cipher: inout AESCipher, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        try openSSL { () throws(OpenSSLError) in
            let start = output.byteCount
            try cipher.finishEncryption(into: &output)
            try update(output.bytes.extracting(start..<output.byteCount))
            try finish(into: &output)
        }
    }
}

/// How much of a message is encrypted or decrypted at a time in memory.
enum MessagePiece {
    /// Stays in the second-level cache until it is hashed.
    static let byteCount = 256 * 1024
    /// From this length on, a chunk is not copied for the second thread: the caller waits until it has been hashed.
    static let sharedByteCount = 4 * 1024 * 1024

    /// How much of a plaintext is encrypted next, if a worker hashes its ciphertext where it is.
    ///
    /// The worker has to be woken for each part, and the caller waits until the last one has been hashed. So the parts
    /// are long, and become shorter towards the end, each about 5/8 as long as the one before. Where SHA-256 is 1.6
    /// times as fast as AES-CBC, as with instructions for both, a part has been hashed when the next one is encrypted.
    static func partByteCount(ofRest rest: Int) -> Int {
        let (shortest, longest) = (64 * 1024, 1024 * 1024)
        let part = min(max(rest / 8 * 3, shortest), longest) / shortest * shortest
        return rest < part + shortest ? rest : part
    }
}

/// A part of a message on its way through the cipher.
package struct MessageChunk: Sendable {
    /// How many bytes of a file are read at a time.
    package static let byteCount = 128 * 1024

    package var input: [UInt8] = []
    package var output: [UInt8] = []

    package init() {}
}
