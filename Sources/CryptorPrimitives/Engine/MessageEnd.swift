import CryptorSystem

/// The end of a message. Every message of versions 1 to 3 ends here: nothing else removes padding
/// or compares the tag of such a message.
package enum MessageEnd {
    package enum Verdict: Sendable {
        case authentic
        /// The tag differs: the message was written under other keys, or altered.
        case tagMismatch
        /// The tag is right, but the padding is wrong: a faulty program wrote the message.
        case badPadding
    }

    /// Appends the ciphertext of `rest` and of the padding, and then the tag. There must be room
    /// for them.
    /// - Parameters:
    ///   - rest: the plaintext that has not been encrypted yet; none if part of a block has been.
    ///   - offset: where in `output` the bytes begin that the HMAC covers and has not seen yet.
    @inline(__always)
    @_lifetime(output: copy output)
    package static func seal(
        _ rest: RawSpan, cipher: inout AESCipher, hmac: inout HMACAuthenticator,
        unhashedFrom offset: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        try cipher.finishEncryption(rest, into: &output)
        try hmac.update(output.bytes.extracting(droppingFirst: offset))
        try hmac.finish(into: &output)
    }

    /// Compares the tag, in constant time, and only if it is right decrypts and removes the
    /// padding.
    /// - Parameters:
    ///   - ciphertext: the part that has not been decrypted yet: whole blocks, at least the last
    ///     one.
    ///   - unhashed: the bytes that the tag covers and the HMAC has not seen yet.
    ///   - previousBlock: the block before `ciphertext`, or the IV; nil if the cipher has it.
    ///   - tag: 32 bytes.
    ///   - output: has room for as many bytes as `ciphertext` has. Unless the message is authentic,
    ///     nothing is appended, and nothing of the plaintext is left there.
    @inline(__always)
    @_lifetime(output: copy output)
    package static func open(
        _ ciphertext: RawSpan, cipher: inout AESCipher, hmac: inout HMACAuthenticator,
        unhashed: RawSpan, after previousBlock: RawSpan?, tag: RawSpan,
        into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> Verdict {
        precondition(ciphertext.byteCount > 0, "there is no ciphertext")
        try hmac.update(unhashed)
        guard try hmac.finish(matching: tag) else { return .tagMismatch }

        let start = output.byteCount
        var verdict = Verdict.badPadding
        defer {
            if verdict != .authentic { output.cleanse(ciphertext.byteCount, from: start) }
        }
        if let previousBlock { try cipher.begin(iv: previousBlock) }
        try cipher.update(ciphertext, into: &output)
        let byteCount = PKCS7Padding.plaintextByteCount(
            ofLastBlock: output.bytes.extracting(last: AESCipher.blockByteCount))
        guard let byteCount else { return verdict }
        output.removeLast(AESCipher.blockByteCount - byteCount)
        verdict = .authentic
        return verdict
    }
}
