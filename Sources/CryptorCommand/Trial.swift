import CryptorFiles
import CryptorPrimitives

/// Tries a credential on a message and on what it may have been before it was damaged.
struct Trial {
    let credential: Credential
    private let opener: MessageOpener
    /// The keys that were derived last. Most repairs leave version and salts as they are.
    private var latest: (version: FormatVersion, salts: MessageHeader.Salts?, keys: MessageKeys)?

    init(_ credential: Credential) {
        self.credential = credential
        opener = MessageOpener(credential: credential, accepting: .everyVersion)
    }

    /// Whether the HMAC matches, whatever is in the message.
    mutating func isAuthentic(
        _ message: ArraySlice<UInt8>, start: ArraySlice<UInt8>? = nil
    ) throws(CryptorError) -> Bool {
        let obstacle = try obstacle(to: message, start: start)
        return obstacle == nil || obstacle == .corruptPadding
    }

    /// Why a message does not open; nil if it does. Its plaintext is not needed for that.
    /// - Parameter start: what the message is taken to begin with, if not with its own header.
    mutating func obstacle(
        to message: ArraySlice<UInt8>, start: ArraySlice<UInt8>? = nil
    ) throws(CryptorError) -> CryptorError.Code? {
        // A derivation is not interrupted, and may be all that a short message takes.
        if Interruption.signal != 0 { throw .cancelled }
        let start = start ?? message.prefix(FormatSize.passwordHeader)
        do throws(CryptorError) {
            if start.first == 0 {
                _ = try Cryptor.decryptVersion0(message, with: credential)
                return nil
            }
            let header = try withRawSpan(of: start) { (start) throws(CryptorError) in
                try opener.header(of: start, messageByteCount: message.count, end: RawSpan())
            }
            try verify(message.dropFirst(header.byteCount), header)
        } catch {
            if [.cryptoLibraryFailure, .cancelled].contains(error.code) { throw error }
            return error.code
        }
        return nil
    }

    /// - Parameter body: ciphertext and tag, of a length that has been checked.
    private mutating func verify(
        _ body: ArraySlice<UInt8>, _ header: MessageHeader
    ) throws(CryptorError) {
        var reader = try MessageReader(header, opener: opener, keys: try keys(for: header))
        let tail = body.suffix(header.version.heldBackByteCount)
        let ciphertext = body.startIndex..<tail.startIndex
        try Interruption.pieces(of: ciphertext) { (piece) throws(CryptorError) in
            _ = try reader.hash(Array(body[piece]), besideCaller: false)
        }
        try withRawSpan(of: tail) { (tail) throws(CryptorError) in
            _ = try reader.finish(tail)
        }
    }

    /// Nil if several candidates may open the message, so that nobody knows yet what to derive.
    private mutating func keys(for header: MessageHeader) throws(CryptorError) -> MessageKeys? {
        if let latest, latest.version == header.version, latest.salts == header.salts {
            return latest.keys
        }
        guard let keys = try opener.keySource(for: header)?.keys() else { return nil }
        latest = (header.version, header.salts, keys)
        return keys
    }

    /// Whether the last block of an authentic message has right padding under AES-128, and may be
    /// the end of a plaintext.
    mutating func isPaddedUnderAES128(_ message: [UInt8]) throws(CryptorError) -> Bool {
        let header = try MessageHeader(parsing: message)
        guard let keys = try keys(for: header) else { return false }
        let tailByteCount = header.version.heldBackByteCount
        let last = Array(message.suffix(tailByteCount).prefix(FormatSize.block))
        // The block before it, or the IV, is what CBC adds to it.
        let iv = Array(message.dropLast(tailByteCount).suffix(FormatSize.block))
        var plaintext: [UInt8] = []
        try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(decryptingWithHalfOf: keys.encryptionKey, iv: iv)
            try cipher.update(last, replacing: &plaintext)
        }
        let block = plaintext.rawSpan(last.indices)
        guard let count = PKCS7Padding.plaintextByteCount(ofLastBlock: block) else { return false }
        // One byte of padding is right by chance once in 256 times: it tells something after text
        // only.
        return count < 15 || TerminalText.isHarmless(Array(plaintext.prefix(count)))
    }
}
