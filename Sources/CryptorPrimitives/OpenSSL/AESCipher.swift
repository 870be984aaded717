import COpenSSL

/// AES-256-CBC (NIST SP 800-38A), one direction, one message. Wraps an `EVP_CIPHER_CTX`.
///
/// Encryption takes any number of bytes and adds the PKCS#7 padding in `finish`. Decryption takes whole blocks and gives
/// whole blocks: padding is looked at by `PKCS7Padding`, and only by those who have checked the MAC.
package struct AESCipher: ~Copyable, Sendable {
    package enum Direction: Sendable { case encrypt, decrypt }

    package static let keyByteCount = 32
    package static let blockByteCount = 16

    /// OpenSSL takes lengths as `int`; longer inputs go in pieces of whole blocks.
    static let maximumCallByteCount = 1 << 30

    private let context: OwnedContext
    private let direction: Direction
    /// Bytes that OpenSSL holds until their block is full.
    private var partialByteCount = 0

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - iv: 16 bytes.
    package init(_ direction: Direction, key: SecretBytes, iv: [UInt8]) throws(OpenSSLError) {
        precondition(key.count == Self.keyByteCount && iv.count == Self.blockByteCount)
        let algorithm = try Algorithm.aes256CBC.pointer()
        let context = try OwnedContext(EVP_CIPHER_CTX_new(), calling: "EVP_CIPHER_CTX_new", free: EVP_CIPHER_CTX_free)
        let initialized = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(
                context.pointer, algorithm, key.baseAddress?.assumingMemoryBound(to: UInt8.self), iv,
                direction == .encrypt ? 1 : 0, nil)
        }
        try check(initialized, calling: "EVP_CipherInit_ex2")
        if direction == .decrypt {
            try check(EVP_CIPHER_CTX_set_padding(context.pointer, 0), calling: "EVP_CIPHER_CTX_set_padding")
        }
        self.context = context
        self.direction = direction
    }

    /// How many bytes `update` appends for `inputByteCount` bytes: the blocks that they fill.
    package func outputByteCount(for inputByteCount: Int) -> Int {
        (partialByteCount + inputByteCount) / Self.blockByteCount * Self.blockByteCount
    }

    /// Appends the full blocks. There must be room for `outputByteCount(for: input.byteCount)` bytes.
    @_lifetime(output: copy output)
    package mutating func update(_ input: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        precondition(direction == .encrypt || input.byteCount % Self.blockByteCount == 0)
        let expected = outputByteCount(for: input.byteCount)
        precondition(output.freeCapacity >= expected, "no room for \(expected) bytes")
        let context = context.pointer
        try input.withUnsafeBytes { (source) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (destination, count) throws(OpenSSLError) in
                count += try Self.update(
                    context, source, into: UnsafeMutableRawBufferPointer(rebasing: destination[count...]))
            }
        }
        partialByteCount = (partialByteCount + input.byteCount) % Self.blockByteCount
    }

    /// Returns the number of bytes written, for which there is room.
    private static func update(
        _ context: OpaquePointer, _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
    ) throws(OpenSSLError) -> Int {
        var offset = 0
        var count = 0
        while offset < source.count {
            let length = min(source.count - offset, maximumCallByteCount)
            var written: CInt = 0
            let status = EVP_CipherUpdate(
                context, destination.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self), &written,
                source.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self), CInt(length))
            try check(status, calling: "EVP_CipherUpdate")
            offset += length
            count += Int(written)
        }
        return count
    }

    /// Appends the last, padded block of an encryption: 16 bytes.
    package mutating func finishEncryption(into output: inout OutputRawSpan) throws(OpenSSLError) {
        precondition(direction == .encrypt && output.freeCapacity >= Self.blockByteCount)
        let context = context.pointer
        try output.withUnsafeMutableBytes { (destination, count) throws(OpenSSLError) in
            var written: CInt = 0
            let status = EVP_CipherFinal_ex(
                context, destination.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self), &written)
            try check(status, calling: "EVP_CipherFinal_ex")
            count += Int(written)
        }
    }
}
