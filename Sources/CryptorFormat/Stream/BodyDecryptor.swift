import CryptorPrimitives

/// What follows the header, of a known header: ciphertext in whole blocks, then the tail of last block and HMAC.
struct BodyDecryptor: ~Copyable, Sendable {
    /// Ciphertext is hashed and decrypted in pieces that stay in the first-level cache between the two.
    private static let pieceByteCount = 16 * 1024

    private var cipher: AESCipher
    private var authenticator: HMACAuthenticator

    /// - Parameter credential: of the kind that the header asks for. A password costs milliseconds here.
    init(_ credential: Credential, header: Header) throws(CryptorError) {
        try self.init(keys: try credential.keys(for: header), header: header)
    }

    init(keys: KeyPair, header: Header) throws(CryptorError) {
        do throws(OpenSSLError) {
            let cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: header.iv)
            var authenticator = try HMACAuthenticator(key: keys.hmacKey)
            try authenticator.update(HeaderWriter.bytes(of: header))
            self.cipher = cipher
            self.authenticator = authenticator
        } catch {
            throw .cryptoLibraryFailure(error)
        }
    }

    /// Appends the plaintext of whole blocks that are not the last, **unverified**.
    mutating func decrypt(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        var offset = 0
        while offset < ciphertext.byteCount {
            let piece = ciphertext.extracting(offset..<min(offset + Self.pieceByteCount, ciphertext.byteCount))
            try authenticate(piece)
            try decipher(piece, into: &output)
            offset += piece.byteCount
        }
    }

    /// The first half of `decrypt`: adds ciphertext to the HMAC.
    mutating func authenticate(_ ciphertext: RawSpan) throws(CryptorError) {
        do throws(OpenSSLError) { try authenticator.update(ciphertext) } catch { throw .cryptoLibraryFailure(error) }
    }

    /// The second half of `decrypt`: appends the plaintext of ciphertext that has been authenticated.
    mutating func decipher(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        do throws(OpenSSLError) {
            try cipher.update(ciphertext, into: &output)
        } catch {
            throw .cryptoLibraryFailure(error)
        }
    }

    /// The HMAC of header and ciphertext so far.
    func codeSoFar() throws(CryptorError) -> SecretBytes {
        do throws(OpenSSLError) { return try authenticator.codeSoFar() } catch { throw .cryptoLibraryFailure(error) }
    }

    /// Compares the HMAC, then looks at the padding, then appends the last plaintext.
    /// - Parameter tail: the last block and the trailer: 48 bytes.
    mutating func finish(_ tail: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        try verify(tail)
        try appendPlaintext(ofLastBlock: tail.extracting(first: FormatSize.block), to: &output)
    }

    /// The first half of `finish`: compares the HMAC.
    mutating func verify(_ tail: RawSpan) throws(CryptorError) {
        precondition(tail.byteCount == FormatSize.tail)
        let isAuthentic: Bool
        do throws(OpenSSLError) {
            try authenticator.update(tail.extracting(first: FormatSize.block))
            isAuthentic = try authenticator.finish(matching: tail.extracting(last: FormatSize.code))
        } catch {
            throw .cryptoLibraryFailure(error)
        }
        guard isAuthentic else { throw .authenticationFailed }
    }

    /// The second half of `finish`: looks at the padding and appends what is before it.
    mutating func appendPlaintext(
        ofLastBlock block: RawSpan, to output: inout OutputRawSpan
    ) throws(CryptorError) {
        let padded: SecretBytes
        do throws(OpenSSLError) {
            padded = try SecretBytes(count: FormatSize.block) { (padded) throws(OpenSSLError) in
                try cipher.update(block, into: &padded)
            }
        } catch {
            throw .cryptoLibraryFailure(error)
        }
        try padded.withRawSpan { (padded) throws(CryptorError) in
            guard let count = PKCS7Padding.plaintextByteCount(ofLastBlock: padded) else { throw .corruptPadding }
            guard output.freeCapacity >= count else {
                throw .outputTooSmall(needed: count, available: output.freeCapacity)
            }
            padded.extracting(first: count).append(to: &output)
        }
    }
}
