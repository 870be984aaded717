import CryptorPrimitives
import CryptorSystem

/// Which credential opened a message (its place in the keyring: 0 for the primary), and what the message was.
package typealias MessageOrigin = (credentialIndex: Int, version: FormatVersion)

/// Keys of a candidate for the message with a header, if they were derived before they were needed.
typealias DerivedKeys = (Candidate, Header) -> KeyPair?

extension ReadingTerms {
    /// Appends the plaintext of a complete message after trying one candidate after the other by its HMAC. The shape is
    /// checked before keys are derived, the HMAC before the padding. After an error, nothing is appended. `output` must
    /// have room for the ciphertext.
    /// - Parameter tried: a candidate under which the message is not authentic, by its index.
    @_lifetime(output: copy output)
    @discardableResult
    func open(
        _ message: RawSpan, except tried: Int? = nil, into output: inout OutputRawSpan,
        derived: DerivedKeys = { _, _ in nil }
    ) throws(CryptorError) -> MessageOrigin {
        let header = try header(of: message, messageByteCount: message.byteCount, end: message)
        let body = message.extracting(droppingFirst: header.byteCount)
        let candidates = try candidates(for: header)
        let isLarge = body.byteCount >= SecondThread.firstByteCount
        for candidate in candidates where candidate.index != tried {
            let source = credential.keySource(of: candidate, for: header)
            let keys =
                if let early = derived(candidate, header) { early } else { try source.keys() }
            if candidates.count == 1, isLarge {
                try decryptWhileHashing(header, body, under: keys, into: &output)
            } else {
                guard try header.isAuthentic(body, under: keys) else { continue }
                try header.decrypt(body, under: keys, into: &output)
            }
            credential.cache?.keep(keys, of: candidate, for: header)
            return (candidate.index, header.version)
        }
        throw .authenticationFailed
    }

    /// Decrypts a large message under its only candidate, perhaps on two threads. The memory must not be read before
    /// this returns, because the HMAC is compared at the end.
    @_lifetime(output: copy output)
    private func decryptWhileHashing(
        _ header: Header, _ body: RawSpan, under keys: KeyPair, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let count = FormatSize.releasableByteCount(of: body.byteCount)
        var reader = try MessageReader(header, terms: self, keys: keys, releasingUnverified: true)
        let start = output.byteCount
        do throws(CryptorError) {
            try reader.read(body.extracting(first: count), into: &output)
            try reader.finish(body.extracting(droppingFirst: count), into: &output)
        } catch {
            // This plaintext was decrypted before the HMAC was compared, and will not be returned.
            output.cleanse(body.byteCount - FormatSize.tag, from: start)
            throw error
        }
    }
}

// The order of steps is that of `MessageReader`, with all of the message at hand: the HMAC is compared before anything is
// decrypted.
extension Header {
    /// Whether the message is authentic under these keys. Compares in constant time.
    /// - Parameter body: ciphertext and tag, of a length that has been checked.
    package func isAuthentic(_ body: RawSpan, under keys: KeyPair) throws(CryptorError) -> Bool {
        var tag = try TrailingAuthenticator(hmacKey: keys.hmacKey, header: self)
        return try openSSL { () throws(OpenSSLError) in
            try tag.update(body.extracting(droppingLast: FormatSize.tag))
            return try tag.finish(matching: body.extracting(last: FormatSize.tag))
        }
    }

    /// Appends the plaintext of an authentic message; nothing if it throws.
    @_lifetime(output: copy output)
    fileprivate func decrypt(
        _ body: RawSpan, under keys: KeyPair, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let ciphertext = body.extracting(droppingLast: FormatSize.tag)
        let start = output.byteCount
        do throws(CryptorError) {
            try openSSL { () throws(OpenSSLError) in
                var cipher = try AESCipher(.decrypt, for: self, keys: keys)
                try cipher.update(ciphertext, into: &output)
            }
            guard output.removePadding() else { throw .corruptPadding }
        } catch {
            output.cleanse(ciphertext.byteCount, from: start)
            throw error
        }
    }
}
