import CryptorPrimitives
import CryptorSystem

extension Reading {
    /// Appends the plaintext of the complete message. The keys that are known are tried first; then
    /// those of one candidate after the other are derived. After an error, nothing is appended.
    /// `output` must have room for the ciphertext. It must belong to the library unless there are
    /// several candidates, because a large message is decrypted while it is verified.
    /// - Parameter mayChange: whether others may write to `message`, which is then read once.
    /// - Returns: the place in the keyring of the credential that opened it.
    @_lifetime(output: copy output)
    func open(
        _ message: RawSpan, mayChange: Bool, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Int {
        // Here, because a reading may have been made of the header alone, or of other bytes.
        try header.checkMessageByteCount(message.byteCount)
        let isSplit =
            !hasSeveralCandidates
            && message.byteCount - header.byteCount >= LargeWork.firstByteCount
        guard isSplit || !mayChange else {
            return try withStableSpan(of: message, mayChange: true) {
                (message) throws(CryptorError) in
                try open(message, mayChange: false, into: &output)
            }
        }
        for request in attempts {
            let keys = try request.keys()
            if isSplit {
                try openWhileHashing(message, mayChange: mayChange, keys, into: &output)
                return request.credentialIndex
            }
            guard try open(message, under: keys, into: &output).isAuthentic else { continue }
            keep(keys, of: request)
            return request.credentialIndex
        }
        throw .authenticationFailed
    }

    @_lifetime(output: copy output)
    private func open(
        _ message: RawSpan, under keys: MessageKeys, into output: inout OutputRawSpan
    ) throws(CryptorError) -> MessageEnd.Verdict {
        try openSSL { () throws(OpenSSLError) in
            if header.version.suitsEngines, keys.pair.keepsEngines {
                return try keys.pair.open(message, headerByteCount: header.byteCount, into: &output)
            }
            let tagByteCount = header.version.hmacByteCount
            let body = message.extracting(droppingLast: tagByteCount)
            let ciphertext = body.extracting(droppingFirst: header.byteCount)
            // Of the bytes that are hashed, because the header was read from others if the message
            // may change.
            let iv = body.extracting(header.byteCount - FormatSize.iv..<header.byteCount)
            var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: Array(copying: iv))
            var hmac = try HMACAuthenticator(key: keys.hmacKey)
            return try MessageEnd.open(
                ciphertext, cipher: &cipher, hmac: &hmac,
                unhashed: header.version.authenticatesHeader ? body : ciphertext, after: nil,
                tag: message.extracting(last: tagByteCount), into: &output)
        }
    }

    /// Decrypts a large message under its only candidate, perhaps on two threads. The memory must
    /// not be read before this returns, because the HMAC is compared at the end.
    @_lifetime(output: copy output)
    private func openWhileHashing(
        _ message: RawSpan, mayChange: Bool, _ keys: MessageKeys, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let body = message.extracting(droppingFirst: header.byteCount)
        let count = header.version.releasableByteCount(of: body.byteCount)
        var reader = try MessageReader(answeringFirst(by: keys))
        let start = output.byteCount
        do throws(CryptorError) {
            try reader.read(body.extracting(first: count), mayChange: mayChange, into: &output)
            let tail = Array(copying: body.extracting(droppingFirst: count))
            try reader.finish(tail.rawSpan(tail.indices), into: &output)
        } catch {
            // This plaintext was decrypted before the HMAC was compared, and will not be returned.
            output.cleanse(header.ciphertextByteCount(ofMessage: message.byteCount), from: start)
            throw error
        }
    }
}
