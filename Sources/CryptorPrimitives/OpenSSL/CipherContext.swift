import CryptorSystem
import COpenSSL

/// A cipher under a key. The one owner of an `EVP_CIPHER_CTX`.
struct CipherContext: ~Copyable, Sendable {
    /// OpenSSL takes lengths as `int`; longer inputs go in pieces of whole blocks.
    private static let maximumCallByteCount = 1 << 30

    private let context: OwnedContext

    /// - Parameters:
    ///   - key: 32 bytes, of which AES-128 takes the first 16.
    ///   - iv: nil for a cipher without one, or if `begin` sets it later.
    init(
        _ algorithm: borrowing Algorithm, _ direction: AESCipher.Direction, key: SecretBytes,
        iv: [UInt8]? = nil
    ) throws(OpenSSLError) {
        precondition(key.count == AESCipher.keyByteCount)
        let algorithm = try algorithm.pointer()
        let context = try OwnedContext(
            EVP_CIPHER_CTX_new(), calling: "EVP_CIPHER_CTX_new", free: EVP_CIPHER_CTX_free)
        let status = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(
                context.pointer, algorithm, key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                iv,
                direction == .encrypt ? 1 : 0, nil)
        }
        try expectOne(status, calling: "EVP_CipherInit_ex2")
        // Otherwise OpenSSL would hold back the last block of each decryption to check its padding.
        // It holds back none of an encryption, and is never asked to finish one.
        if direction == .decrypt {
            try expectOne(
                EVP_CIPHER_CTX_set_padding(context.pointer, 0),
                calling: "EVP_CIPHER_CTX_set_padding")
        }
        self.context = context
    }

    /// Begins anew with an IV, whatever was begun before.
    mutating func begin(iv: [UInt8]) throws(OpenSSLError) {
        try expectOne(
            EVP_CipherInit_ex2(context.pointer, nil, nil, iv, -1, nil),
            calling: "EVP_CipherInit_ex2")
    }

    /// Appends the output, for which there must be room.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func update(_ input: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        try output.withUnsafeMutableBytes { (destination, count) throws(OpenSSLError) in
            count += try update(input, into: destination.baseAddress?.advanced(by: count))
        }
    }

    /// - Parameter destination: nil for data that is authenticated only.
    /// - Returns: how many bytes it wrote.
    @inline(__always)
    mutating func update(_ input: RawSpan, into destination: UnsafeMutableRawPointer?)
        throws(OpenSSLError) -> Int
    {
        var rest = input
        var count = 0
        while rest.byteCount > 0 {
            let piece = rest.extracting(first: Self.maximumCallByteCount)
            var written: CInt = 0
            let status = piece.withUnsafeBytes { piece in
                EVP_CipherUpdate(
                    context.pointer,
                    destination?.advanced(by: count).assumingMemoryBound(to: UInt8.self), &written,
                    piece.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(piece.count))
            }
            try expectOne(status, calling: "EVP_CipherUpdate")
            count += Int(written)
            rest = rest.extracting(droppingFirst: piece.byteCount)
        }
        return count
    }

    /// Appends the tag of a cipher that authenticates. There must be room for it.
    @_lifetime(output: copy output)
    mutating func finish(tagByteCount: Int, into output: inout OutputRawSpan) throws(OpenSSLError) {
        let context = context.pointer
        try output.withUnsafeMutableBytes { (destination, count) throws(OpenSSLError) in
            let tag = destination.baseAddress?.advanced(by: count)
            var written: CInt = 0
            let status = EVP_CipherFinal_ex(
                context, tag?.assumingMemoryBound(to: UInt8.self), &written)
            try expectOne(status, calling: "EVP_CipherFinal_ex")
            precondition(written == 0)
            try expectOne(
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(tagByteCount), tag),
                calling: "EVP_CIPHER_CTX_ctrl(EVP_CTRL_AEAD_GET_TAG)")
            count += tagByteCount
        }
    }
}
