import CryptorPrimitives
import CryptorSystem

/// Which credential opened a message (its place in the keyring: 0 for the primary), and the version
/// of the message.
package typealias OpeningResult = (credentialIndex: Int, version: FormatVersion)

/// Keys that were derived in advance for this candidate and the message with this header; nil if
/// there are none.
typealias DerivedKeys = (Candidate, MessageHeader) -> MessageKeys?

extension MessageOpener {
    /// Appends the plaintext of a complete message after trying one candidate after the other by
    /// its HMAC. The shape is checked before keys are derived. After an error, nothing is appended.
    /// `output` must have room for the ciphertext, and belong to the library.
    /// - Parameters:
    ///   - mayChange: whether others may write to `message`, which is then read once.
    ///   - tried: a candidate under which the message is not authentic, by its index.
    @_lifetime(output: copy output)
    @discardableResult
    func open(
        _ message: RawSpan, mayChange: Bool, except tried: Int? = nil,
        into output: inout OutputRawSpan, derived: DerivedKeys = { _, _ in nil }
    ) throws(CryptorError) -> OpeningResult {
        let header = try header(of: message, messageByteCount: message.byteCount, end: message)
        let candidates = try candidates(for: header)
        let sources = credential.keySources(of: candidates, for: header)
        let isLarge = message.byteCount - header.byteCount >= SecondThread.firstByteCount
        // The header is read again, from the copy.
        guard !mayChange || candidates.count == 1 && isLarge else {
            return try withStableSpan(of: message, mayChange: true) {
                (message) throws(CryptorError) in
                try open(message, mayChange: false, except: tried, into: &output, derived: derived)
            }
        }
        for (candidate, source) in zip(candidates, sources) where candidate.index != tried {
            let keys =
                if let early = derived(candidate, header) { early } else { try source.keys() }
            if candidates.count == 1, isLarge {
                try openWhileHashing(
                    message, mayChange: mayChange, header, under: keys, into: &output)
            } else {
                let verdict = try openSSL { () throws(OpenSSLError) in
                    var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: header.iv)
                    var hmac = try HMACAuthenticator(key: keys.hmacKey)
                    let body = message.extracting(droppingLast: header.version.hmacByteCount)
                    let ciphertext = body.extracting(droppingFirst: header.byteCount)
                    return try MessageEnd.open(
                        ciphertext, cipher: &cipher, hmac: &hmac,
                        unhashed: header.version.authenticatesHeader ? body : ciphertext,
                        after: nil, tag: message.extracting(last: header.version.hmacByteCount),
                        into: &output)
                }
                guard try verdict.isAuthentic else { continue }
            }
            credential.cache?.keep(keys, of: candidate, for: header)
            return (candidate.index, header.version)
        }
        throw .authenticationFailed
    }

    /// Decrypts a large message under its only candidate, perhaps on two threads. The memory must
    /// not be read before this returns, because the HMAC is compared at the end.
    @_lifetime(output: copy output)
    private func openWhileHashing(
        _ message: RawSpan, mayChange: Bool, _ header: MessageHeader, under keys: MessageKeys,
        into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let body = message.extracting(droppingFirst: header.byteCount)
        let count = header.version.releasableByteCount(of: body.byteCount)
        var reader = try MessageReader(header, opener: self, keys: keys)
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
