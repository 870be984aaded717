import CryptorSystem

/// An engine for one message that comes in parts. Its two halves, cipher and HMAC, may be at work
/// on two threads, one behind the other. The operations on each byte and their order stay the same,
/// and both halves end together in ``MessageEnd``.
package struct SplitEngine: ~Copyable, Sendable {
    /// How much is encrypted or decrypted at a time: it stays in the second-level cache until it is
    /// hashed.
    static let pieceByteCount = 256 * 1024
    /// From this length on, a part is not copied for the worker: the caller waits until it has been
    /// hashed.
    private static let sharedByteCount = 4 * 1024 * 1024
    /// How much is copied for the worker at a time. On a virtual machine, waking it costs as much
    /// as hashing 16 KiB.
    private static let copiedByteCount = 128 * 1024
    /// The maximum number of pieces under way. More than a worker needs, because memory that has
    /// just been hashed is slower to write to than memory that has been idle.
    private static let depth = 8

    // The first property: if it were a small one, the compiler of Swift 6.3 would crash with
    // ThreadSanitizer. Nil only after the end.
    private let hmac: PipelineValue<HMACAuthenticator?>
    /// Nil while it is elsewhere: `FileMessageWriter` lends it to a worker, hashes the ciphertext,
    /// and returns it for the end of the message.
    package var cipher: AESCipher?
    private let direction: AESCipher.Direction
    /// Hashes on a worker. Nil until one is wanted for the first time.
    private var hashing: Pipeline<HashedPiece, OpenSSLError>?
    /// The bytes that have been copied for the worker and not handed over yet.
    private var copied: [UInt8] = []

    /// - Parameter header: the bytes that the tag covers before the ciphertext.
    package init(
        _ direction: AESCipher.Direction, encryptionKey: SecretBytes, hmacKey: SecretBytes,
        iv: [UInt8], authenticating header: [UInt8]
    ) throws(OpenSSLError) {
        let cipher = try AESCipher(direction, key: encryptionKey, iv: iv)
        var hmac = try HMACAuthenticator(key: hmacKey)
        try hmac.update(header)
        self.init(direction, cipher: consume cipher, hmac: consume hmac)
    }

    // The compiler of Swift 6.2 crashes on an initialiser that throws and sets these properties.
    private init(
        _ direction: AESCipher.Direction, cipher: consuming AESCipher,
        hmac: consuming HMACAuthenticator
    ) {
        self.direction = direction
        self.cipher = consume cipher
        self.hmac = PipelineValue(consume hmac)
    }

    // MARK: The parts of a message

    /// How many bytes `seal` appends for `plaintextByteCount` bytes.
    package func outputByteCount(for plaintextByteCount: Int) -> Int {
        guard let count = cipher?.outputByteCount(for: plaintextByteCount) else {
            preconditionFailure("the cipher is elsewhere")
        }
        return count
    }

    /// Appends the blocks of ciphertext that are complete, and hashes them.
    /// - Parameter besideCaller: whether a worker may do one of the two.
    @_lifetime(output: copy output)
    package mutating func seal(
        _ plaintext: RawSpan, into output: inout OutputRawSpan, besideCaller: Bool
    ) throws(OpenSSLError) {
        precondition(direction == .encrypt && cipher != nil)
        if besideCaller, plaintext.byteCount >= Self.sharedByteCount {
            var offset = 0
            return try withHalves { (engine, cipher) throws(OpenSSLError) in
                try engine.hashLending(&output) { (output) throws(OpenSSLError) in
                    let count = Self.partByteCount(ofRest: plaintext.byteCount - offset)
                    let part = plaintext.extracting(offset..<offset + count)
                    try cipher.update(part, into: &output)
                    offset += count
                    return offset < plaintext.byteCount
                }
            }
        }
        for start in stride(from: 0, to: plaintext.byteCount, by: Self.pieceByteCount) {
            let written = output.byteCount
            let piece = plaintext.extracting(droppingFirst: start)
                .extracting(first: Self.pieceByteCount)
            try cipher?.update(piece, into: &output)
            try hash(output.bytes.extracting(droppingFirst: written), besideCaller: besideCaller)
        }
    }

    /// Hashes ciphertext, in whole blocks, and appends its plaintext, **unverified**.
    /// - Parameters:
    ///   - mayChange: whether others may write to `ciphertext`, which is then read once.
    ///   - besideCaller: whether a worker may do one of the two.
    ///   - lastBlock: becomes the last block of the ciphertext that was read.
    @_lifetime(output: copy output)
    package mutating func openUnverified(
        _ ciphertext: RawSpan, mayChange: Bool, into output: inout OutputRawSpan,
        besideCaller: Bool, lastBlock: inout [UInt8]
    ) throws(OpenSSLError) {
        precondition(direction == .decrypt && cipher != nil)
        guard ciphertext.byteCount > 0 else { return }
        if mayChange {
            return try openCopied(
                ciphertext, into: &output, besideCaller: besideCaller, lastBlock: &lastBlock)
        }
        lastBlock = Array(copying: ciphertext.extracting(last: AESCipher.blockByteCount))
        if besideCaller, ciphertext.byteCount >= Self.sharedByteCount {
            return try withHalves { (engine, cipher) throws(OpenSSLError) in
                try engine.hashLending(ciphertext) { (piece) throws(OpenSSLError) in
                    try cipher.update(piece, into: &output)
                }
            }
        }
        for start in stride(from: 0, to: ciphertext.byteCount, by: Self.pieceByteCount) {
            let piece = ciphertext.extracting(droppingFirst: start)
                .extracting(first: Self.pieceByteCount)
            try hash(piece, besideCaller: besideCaller)
            try cipher?.update(piece, into: &output)
        }
    }

    /// Copies ciphertext piece by piece, and hashes and decrypts the copy.
    @_lifetime(output: copy output)
    private mutating func openCopied(
        _ ciphertext: RawSpan, into output: inout OutputRawSpan, besideCaller: Bool,
        lastBlock: inout [UInt8]
    ) throws(OpenSSLError) {
        try withHalves { (engine, cipher) throws(OpenSSLError) in
            if !besideCaller { try engine.catchUp() }
            var rest = ciphertext
            while rest.byteCount > 0 {
                let start = engine.copied.count
                let piece = rest.extracting(first: Self.copiedByteCount - start)
                rest = rest.extracting(droppingFirst: piece.byteCount)
                engine.copied.append(contentsOf: piece)
                try withRawSpan(of: engine.copied) { (copied) throws(OpenSSLError) in
                    let copy = copied.extracting(droppingFirst: start)
                    lastBlock = Array(copying: copy.extracting(last: AESCipher.blockByteCount))
                    try cipher.update(copy, into: &output)
                }
                if !besideCaller {
                    try engine.catchUp()
                } else if engine.copied.count == Self.copiedByteCount {
                    try engine.handOverCopied()
                }
            }
        }
    }

    /// Calls `body` with this engine, which then only hashes, and with its cipher.
    private mutating func withHalves(
        _ body: (inout SplitEngine, inout AESCipher) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        guard var own = cipher.take() else { preconditionFailure("the cipher is elsewhere") }
        let result = Result { () throws(OpenSSLError) in try body(&self, &own) }
        cipher = consume own
        try result.get()
    }

    /// Replaces the contents of `plaintext` with that of ciphertext, in whole blocks,
    /// **unverified**, which is hashed as well by `hash`.
    package mutating func decryptUnverified(
        _ ciphertext: [UInt8], replacing plaintext: inout [UInt8]
    ) throws(OpenSSLError) {
        precondition(direction == .decrypt && cipher != nil)
        try cipher?.update(ciphertext, replacing: &plaintext)
    }

    // MARK: The HMAC alone

    /// Hashes bytes. If a worker may do that, they are copied.
    mutating func hash(_ bytes: RawSpan, besideCaller: Bool) throws(OpenSSLError) {
        guard besideCaller else {
            try catchUp()
            try hmac.update(bytes)
            return
        }
        var offset = 0
        while offset < bytes.byteCount {
            let end = min(offset + Self.copiedByteCount - copied.count, bytes.byteCount)
            copied.append(contentsOf: bytes.extracting(offset..<end))
            offset = end
            if copied.count == Self.copiedByteCount { try handOverCopied() }
        }
    }

    /// Hashes bytes. If a worker may do that, the caller may read them meanwhile.
    /// - Returns: an array that is not needed any more, to be filled with other bytes; nil if there
    ///   is none yet.
    package mutating func hash(
        _ bytes: [UInt8], besideCaller: Bool
    ) throws(OpenSSLError) -> [UInt8]? {
        guard besideCaller else {
            try catchUp()
            try hmac.update(bytes.rawSpan(bytes.indices))
            return bytes
        }
        try handOverCopied()
        return try handOver(.owned(bytes))
    }

    // MARK: On the way to the worker

    mutating func handOverCopied() throws(OpenSSLError) {
        guard !copied.isEmpty else { return }
        let piece = HashedPiece.owned(copied)
        copied = []
        copied = try handOver(piece) ?? []
        copied.removeAll(keepingCapacity: true)
    }

    /// - Returns: an array that is not needed any more, if there is one.
    mutating func handOver(
        _ piece: consuming HashedPiece
    ) throws(OpenSSLError) -> [UInt8]? {
        if hashing == nil {
            let hmac = hmac
            hashing = Pipeline(depth: Self.depth) { (piece) throws(OpenSSLError) in
                try keepingReasons { () throws(OpenSSLError) in
                    switch piece {
                    case .owned(let bytes): try hmac.update(bytes.rawSpan(bytes.indices))
                    case .borrowed(let bytes): try hmac.update(bytes.bytes)
                    }
                }
            }
        }
        let oldest = try hashing?.pass(piece, besideCaller: true)
        guard case .owned(let bytes)? = oldest else { return nil }
        return bytes
    }

    /// Returns when all added bytes have been hashed.
    mutating func catchUp() throws(OpenSSLError) {
        while try hashing?.next() != nil {}
        guard !copied.isEmpty else { return }
        try hmac.update(copied.rawSpan(copied.indices))
        copied.removeAll(keepingCapacity: true)
    }

    // MARK: The end

    /// Appends the last block, and the tag over all that was hashed and over what is in `output`
    /// from `offset` on. There must be room for them.
    @_lifetime(output: copy output)
    package mutating func finishSealing(
        unhashedFrom offset: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        precondition(direction == .encrypt)
        try catchUp()
        guard var cipher = cipher.take(), var hmac = hmac.value.take() else {
            preconditionFailure("a message ends once")
        }
        try MessageEnd.seal(
            RawSpan(), cipher: &cipher, hmac: &hmac, unhashedFrom: offset, into: &output)
    }

    /// Compares the tag, and decrypts the last block: see
    /// ``MessageEnd/open(_:cipher:hmac:unhashed:after:tag:into:)``.
    @_lifetime(output: copy output)
    package mutating func finishOpening(
        _ lastBlock: RawSpan, after previousBlock: RawSpan, tag: RawSpan,
        into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> MessageEnd.Verdict {
        precondition(direction == .decrypt)
        try catchUp()
        guard var cipher = cipher.take(), var hmac = hmac.value.take() else {
            preconditionFailure("a message ends once")
        }
        return try MessageEnd.open(
            lastBlock, cipher: &cipher, hmac: &hmac, unhashed: lastBlock, after: previousBlock,
            tag: tag,
            into: &output)
    }
}

extension PipelineValue where Value == HMACAuthenticator? {
    fileprivate func update(_ bytes: RawSpan) throws(OpenSSLError) {
        precondition(value != nil, "the message has ended")
        try value?.update(bytes)
    }
}
