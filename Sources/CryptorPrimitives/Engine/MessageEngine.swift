import CryptorSystem
import COpenSSL

/// AES-256-CBC and HMAC-SHA256 under the two keys of a message: encrypt, then authenticate. It
/// seals and opens one message after the other.
///
/// Every message of versions 1 to 3 ends in ``finishSealing(_:unhashedFrom:into:)`` or in
/// ``finishOpening(_:unhashed:after:tag:into:)``. Nothing else removes padding or compares the tag
/// of such a message.
package struct MessageEngine: ~Copyable {
    /// The verdict at the end of a message.
    package enum Verdict: Sendable {
        case authentic
        /// The tag differs: the message was written under other keys, or altered.
        case otherKeys
        /// The tag is right, but the padding is wrong: a faulty program wrote the message.
        case badPadding
    }

    /// Nil if this engine only opens messages.
    private var encryption: Optional<AESCipher>
    /// Nil if this engine only seals messages.
    private var decryption: Optional<AESCipher>
    private var hmac: HMACAuthenticator
    /// Whether the HMAC was begun and has seen nothing, as after its key was set.
    private var isFresh = true
    /// Whether the message of this engine has begun, and comes in parts: it is ended, and no other
    /// message sealed or opened.
    private var isInParts = false
    /// The key of the HMAC if OpenSSL needs it again for each message, otherwise nil.
    private let repeatedKey: SecretBytes?
    private var ivs = IVSupply()

    /// An engine for any number of messages, each sealed by ``seal(_:after:into:)`` or opened by
    /// ``open(_:headerByteCount:authenticatingHeader:into:)``.
    init(encryptionKey: SecretBytes, hmacKey: SecretBytes) throws(OpenSSLError) {
        let iv = [UInt8](repeating: 0, count: AESCipher.blockByteCount)
        let encryption = try AESCipher(.encrypt, key: encryptionKey, iv: iv)
        let decryption = try AESCipher(.decrypt, key: encryptionKey, iv: iv)
        let hmac = try HMACAuthenticator(key: hmacKey)
        self.init(
            encryption: encryption, decryption: decryption, hmac: hmac,
            repeatedKey: HMACAuthenticator.canBeginAgain ? nil : hmacKey)
    }

    private init(
        encryption: consuming AESCipher, decryption: consuming AESCipher,
        hmac: consuming HMACAuthenticator, repeatedKey: SecretBytes?
    ) {
        self.encryption = consume encryption
        self.decryption = consume decryption
        self.hmac = hmac
        self.repeatedKey = repeatedKey
    }

    /// An engine for one message. In one direction it takes half the time to set up.
    /// - Parameter header: the bytes that the tag covers before the ciphertext, for a message that
    ///   comes in parts. Empty if it covers no header, and for a message that is sealed or opened
    ///   at once.
    package init(
        _ direction: AESCipher.Direction, encryptionKey: SecretBytes, hmacKey: SecretBytes,
        iv: [UInt8], authenticating header: [UInt8]
    ) throws(OpenSSLError) {
        let cipher = try AESCipher(direction, key: encryptionKey, iv: iv)
        var hmac = try HMACAuthenticator(key: hmacKey)
        try hmac.update(header)
        let repeatedKey = HMACAuthenticator.canBeginAgain ? nil : hmacKey
        self.init(
            direction, cipher: cipher, hmac: hmac, isInParts: !header.isEmpty,
            repeatedKey: repeatedKey)
    }

    /// Puts the two halves of an engine for one message together.
    init(
        _ direction: AESCipher.Direction, cipher: consuming AESCipher,
        hmac: consuming HMACAuthenticator, isInParts: Bool = true, repeatedKey: SecretBytes? = nil
    ) {
        switch direction {
        case .encrypt:
            encryption = consume cipher
            decryption = nil
        case .decrypt:
            encryption = nil
            decryption = consume cipher
        }
        self.hmac = hmac
        self.isInParts = isInParts
        self.repeatedKey = repeatedKey
    }

    /// The halves of an engine for one message, for two threads.
    package consuming func split() -> SplitEngine {
        var engine = self
        precondition(engine.encryption == nil || engine.decryption == nil, "it has two ciphers")
        if let cipher = engine.encryption.take() {
            return SplitEngine(.encrypt, cipher: cipher, hmac: engine.hmac)
        }
        guard let cipher = engine.decryption.take() else {
            preconditionFailure("an engine has a cipher")
        }
        return SplitEngine(.decrypt, cipher: cipher, hmac: engine.hmac)
    }

    @inline(__always)
    private mutating func beginHMAC() throws(OpenSSLError) {
        precondition(!isInParts, "its message has begun")
        if !isFresh { try hmac.begin(key: repeatedKey) }
        isFresh = false
    }

    // MARK: Sealing

    /// Appends a whole message: `start`, a fresh IV, the ciphertext, the tag over all of these.
    /// There must be room for it.
    /// - Parameter start: the bytes before the IV.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func seal(
        _ plaintext: RawSpan, after start: [UInt8], into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        let offset = output.byteCount
        start.rawSpan(start.indices).append(to: &output)
        try beginHMAC()
        try encryption?.begin(ivs.next().bytes, appendingIVTo: &output)
        try finishSealing(plaintext, unhashedFrom: offset, into: &output)
    }

    /// Ends a message that is written: appends the ciphertext of `rest` and of the padding, and
    /// then the tag. There must be room for them.
    /// - Parameters:
    ///   - rest: the plaintext that has not been encrypted yet; none if part of a block has been.
    ///   - offset: where in `output` the bytes begin that the HMAC covers and has not seen yet.
    @inline(__always)
    @_lifetime(output: copy output)
    package mutating func finishSealing(
        _ rest: RawSpan, unhashedFrom offset: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        let start = output.byteCount
        try encryption?.finishEncryption(rest, into: &output)
        precondition(output.byteCount > start, "this engine only opens messages")
        try hmac.update(output.bytes.extracting(droppingFirst: offset))
        try hmac.finish(into: &output)
    }

    // MARK: Opening

    /// Opens a whole message: see ``finishOpening(_:unhashed:after:tag:into:)``.
    /// - Parameters:
    ///   - message: header, ciphertext in whole blocks, at least one, and tag.
    ///   - headerByteCount: the length of the header, which ends with the IV.
    ///   - authenticatingHeader: whether the tag covers the header.
    @inline(__always)
    @_lifetime(output: copy output)
    package mutating func open(
        _ message: RawSpan, headerByteCount: Int, authenticatingHeader: Bool = true,
        into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> Verdict {
        let body = message.extracting(droppingLast: HMACAuthenticator.byteCount)
        let ciphertext = body.extracting(droppingFirst: headerByteCount)
        let iv = body.extracting(headerByteCount - AESCipher.blockByteCount..<headerByteCount)
        try beginHMAC()
        return try finishOpening(
            ciphertext, unhashed: authenticatingHeader ? body : ciphertext, after: iv,
            tag: message.extracting(last: HMACAuthenticator.byteCount), into: &output)
    }

    /// Ends a message that is read: compares the tag, in constant time, and only if it is right
    /// decrypts and removes the padding.
    /// - Parameters:
    ///   - ciphertext: the part that has not been decrypted yet: whole blocks, at least the last
    ///     one.
    ///   - unhashed: the bytes that the tag covers and the HMAC has not seen yet.
    ///   - previousBlock: the block before `ciphertext`, or the IV.
    ///   - tag: 32 bytes.
    ///   - output: has room for as many bytes as `ciphertext` has. Unless the message is authentic,
    ///     nothing is appended, and nothing of the plaintext is left there.
    @inline(__always)
    @_lifetime(output: copy output)
    package mutating func finishOpening(
        _ ciphertext: RawSpan, unhashed: RawSpan, after previousBlock: RawSpan, tag: RawSpan,
        into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> Verdict {
        try hmac.update(unhashed)
        guard try hmac.finish(matching: tag) else { return .otherKeys }

        let start = output.byteCount
        var verdict = Verdict.badPadding
        defer {
            if verdict != .authentic { output.cleanse(ciphertext.byteCount, from: start) }
        }
        try decryption?.begin(iv: previousBlock)
        try decryption?.update(ciphertext, into: &output)
        precondition(
            ciphertext.byteCount > 0 && output.byteCount - start == ciphertext.byteCount,
            "there is no ciphertext, or this engine only seals messages")
        let byteCount = PKCS7Padding.plaintextByteCount(
            ofLastBlock: output.bytes.extracting(last: AESCipher.blockByteCount))
        guard let byteCount else { return verdict }
        output.removeLast(AESCipher.blockByteCount - byteCount)
        verdict = .authentic
        return verdict
    }
}
