import CryptorSystem
import COpenSSL

/// AES-256-CBC (NIST SP 800-38A), one direction, one message after the other. Wraps an
/// `EVP_CIPHER_CTX`.
///
/// Encryption takes any number of bytes and adds the PKCS#7 padding in `finishEncryption`.
/// Decryption takes and returns whole blocks: the caller checks the padding with `PKCS7Padding`,
/// and only after it has checked the MAC.
package struct AESCipher: ~Copyable, Sendable {
    package enum Direction: Sendable { case encrypt, decrypt }

    static let keyByteCount = 32
    static let blockByteCount = 16

    private var context: CipherContext
    private let direction: Direction
    /// The number of bytes that OpenSSL holds until their block is full.
    private var partialByteCount = 0

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - iv: 16 bytes.
    package init(_ direction: Direction, key: SecretBytes, iv: [UInt8]) throws(OpenSSLError) {
        precondition(iv.count == Self.blockByteCount)
        self.context = try CipherContext(Algorithm.aes256CBC, direction, key: key, iv: iv)
        self.direction = direction
    }

    /// Decrypts data that a faulty program has encrypted with AES-128 under the first 16 bytes of
    /// the key.
    package init(decryptingWithHalfOf key: SecretBytes, iv: [UInt8]) throws(OpenSSLError) {
        precondition(iv.count == Self.blockByteCount)
        self.context = try CipherContext(Algorithm.aes128CBC, .decrypt, key: key, iv: iv)
        self.direction = .decrypt
    }

    /// How many bytes `update` appends for `inputByteCount` bytes: the blocks that they fill.
    func outputByteCount(for inputByteCount: Int) -> Int {
        (partialByteCount + inputByteCount) / Self.blockByteCount * Self.blockByteCount
    }

    /// Appends the full blocks. There must be room for `outputByteCount(for: input.byteCount)`
    /// bytes.
    @inline(__always)
    @_lifetime(output: copy output)
    package mutating func update(_ input: RawSpan, into output: inout OutputRawSpan)
        throws(OpenSSLError)
    {
        precondition(direction == .encrypt || input.byteCount % Self.blockByteCount == 0)
        let expected = outputByteCount(for: input.byteCount)
        precondition(output.freeCapacity >= expected, "no room for \(expected) bytes")
        let start = output.byteCount
        try context.update(input, into: &output)
        precondition(output.byteCount - start == expected)
        partialByteCount = (partialByteCount + input.byteCount) % Self.blockByteCount
    }

    /// Replaces the contents of `output` with the full blocks.
    package mutating func update(
        _ input: [UInt8], replacing output: inout [UInt8]
    ) throws(OpenSSLError) {
        output.removeAll(keepingCapacity: true)
        try output.appendBytes(capacity: outputByteCount(for: input.count)) {
            (output) throws(OpenSSLError) in
            try update(input.rawSpan(input.indices), into: &output)
        }
    }

    /// Ends an encryption: appends the ciphertext of `rest` and of the padding that fills the last
    /// block.
    /// - Parameter rest: must be empty if OpenSSL holds part of a block. OpenSSL keeps no byte of
    ///   `rest`, so a cipher that is used again contains no plaintext.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func finishEncryption(
        _ rest: RawSpan = RawSpan(), into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        precondition(direction == .encrypt && (partialByteCount == 0 || rest.byteCount == 0))
        let whole = rest.byteCount / Self.blockByteCount * Self.blockByteCount
        precondition(output.freeCapacity >= whole + Self.blockByteCount)
        if whole > 0 { try context.update(rest.extracting(first: whole), into: &output) }
        // The end of the last block: the remainder of `rest`, and the padding.
        let last = rest.extracting(droppingFirst: whole)
        let byteCount = Self.blockByteCount - partialByteCount
        var block = SIMD16(repeating: UInt8(byteCount - last.byteCount))
        try withUnsafeMutableBytes(of: &block) { (block) throws(OpenSSLError) in
            last.withUnsafeBytes { last in block.copyMemory(from: last) }
            try context.update(block.bytes.extracting(first: byteCount), into: &output)
        }
        partialByteCount = 0
    }

    // MARK: Another message under the same key
    //
    // The IV is not set with `EVP_CipherInit_ex2`, which takes four times as long as the encryption
    // of a block.

    /// Begins another encryption and appends its IV.
    ///
    /// The IV is the encryption of a nonce under the same key, which SP 800-38A (appendix C)
    /// allows, and CBC chains the next block to it. CBC also adds the last block of the previous
    /// message to the nonce. The sum is as random as the nonce.
    /// - Parameter nonce: 16 random bytes.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func begin(_ nonce: RawSpan, appendingIVTo output: inout OutputRawSpan)
        throws(OpenSSLError)
    {
        precondition(
            direction == .encrypt && partialByteCount == 0
                && output.freeCapacity >= Self.blockByteCount)
        try context.update(nonce, into: &output)
    }

    /// Begins another decryption.
    /// - Parameter iv: 16 bytes.
    @inline(__always)
    mutating func begin(iv: RawSpan) throws(OpenSSLError) {
        precondition(direction == .decrypt && iv.byteCount == Self.blockByteCount)
        // In CBC, a plaintext block depends only on its ciphertext block and the one before. The IV
        // is passed in as the block before, and the output for it is discarded.
        var ignored: (UInt64, UInt64) = (0, 0)
        try withUnsafeMutableBytes(of: &ignored) { (ignored) throws(OpenSSLError) in
            defer { OPENSSL_cleanse(ignored.baseAddress, ignored.count) }
            var output = OutputRawSpan(buffer: ignored, initializedCount: 0)
            try context.update(iv, into: &output)
        }
    }
}
