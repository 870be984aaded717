import CryptorPrimitives

/// Which credential opened a message, and what the message was.
package struct MessageOrigin {
    /// The candidate's place in the keyring: 0 for the primary.
    package let credentialIndex: Int
    package let version: FormatVersion
}

extension ReadingTerms {
    /// Appends the plaintext of a complete message. The shape is checked before keys are derived, the HMAC before the
    /// padding. After an error, nothing is appended. `output` must have room for the ciphertext.
    /// - Parameter keys: the keys of the message, if they have been derived and there is only one candidate.
    @_lifetime(output: copy output)
    @discardableResult
    func open(
        _ message: RawSpan, keys: KeyPair? = nil, into output: inout OutputRawSpan
    ) throws(CryptorError) -> MessageOrigin {
        // Keys that were derived are those of one kind of message.
        if keys != nil { return try openSettled(message, keys: keys, into: &output) }
        let first = message.byteCount > 0 ? message.byte(at: 0) : nil
        return try settled(startingWith: first) { (terms) throws(CryptorError) in
            try terms.openSettled(message, keys: nil, into: &output)
        }
    }

    /// Appends the plaintext of a message whose kind is settled: see ``open(_:keys:into:)``.
    @_lifetime(output: copy output)
    private func openSettled(
        _ message: RawSpan, keys: KeyPair?, into output: inout OutputRawSpan
    ) throws(CryptorError) -> MessageOrigin {
        let header = try header(of: message, messageByteCount: message.byteCount)
        let body = message.extracting(droppingFirst: header.byteCount)
        let candidates = try candidates(for: header)
        if candidates.count == 1 {
            try decrypt(header, body, keys: keys, into: &output)
            return MessageOrigin(credentialIndex: candidates[0].index, version: header.version)
        }
        for candidate in candidates {
            let keys = try candidate.keySource(for: header).keys()
            guard try header.isAuthentic(body, under: keys) else { continue }
            try header.decrypt(body, under: keys, into: &output)
            return MessageOrigin(credentialIndex: candidate.index, version: header.version)
        }
        throw authenticationFailure(for: header)
    }

    /// Decrypts under the only candidate, into memory that must not be read before this returns, because the HMAC is
    /// compared at the end.
    @_lifetime(output: copy output)
    private func decrypt(
        _ header: Header, _ body: RawSpan, keys: KeyPair?, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let count = header.version.rules.body.releasableByteCount(of: body.byteCount)
        var reader = try MessageReader(header, terms: self, keys: keys, for: .release)
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

// What comes after the header of a complete message, where several candidates may open it: the HMAC is compared for one
// after the other, and nothing is decrypted before it matched.
extension Header {
    /// Whether the message is authentic under these keys. Compares in constant time.
    func isAuthentic(_ body: RawSpan, under keys: KeyPair) throws(CryptorError) -> Bool {
        let tag = try CandidateTag(keys, index: 0, self)
        return try tag.matches(
            body.extracting(last: FormatSize.tag), endingIn: body.extracting(droppingLast: FormatSize.tag))
    }

    /// Appends the plaintext of an authentic message; nothing if it throws.
    @_lifetime(output: copy output)
    func decrypt(_ body: RawSpan, under keys: KeyPair, into output: inout OutputRawSpan) throws(CryptorError) {
        let count = version.rules.body.releasableByteCount(of: body.byteCount)
        let last = body.extracting(droppingFirst: count).extracting(droppingLast: FormatSize.tag)
        let previousBlock =
            count < FormatSize.block ? iv : Array(copying: body.extracting(count - FormatSize.block..<count))
        let lastPlaintext = try lastPlaintext(last, under: keys, ciphertextByteCount: count, after: previousBlock)
        let start = output.byteCount
        do throws(CryptorError) {
            var cipher = try MessageCipher.make(.decrypt, for: self, keys: keys)
            try openSSL { () throws(OpenSSLError) in try cipher.update(body.extracting(first: count), into: &output) }
        } catch {
            output.cleanse(count, from: start)
            throw error
        }
        lastPlaintext.withRawSpan { last in last.append(to: &output) }
    }
}
