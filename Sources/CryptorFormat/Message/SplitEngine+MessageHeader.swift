package import CryptorPrimitives

extension SplitEngine {
    /// The engine for one message, that with this header.
    package init(
        _ direction: AESCipher.Direction, for header: MessageHeader, keys: MessageKeys
    ) throws(OpenSSLError) {
        try self.init(
            direction, encryptionKey: keys.encryptionKey, hmacKey: keys.hmacKey, iv: header.iv,
            authenticating: header.version.authenticatesHeader ? header.bytes : [])
    }
}

extension MessageEnd.Verdict {
    /// Whether the message is authentic, and was opened.
    /// - Throws: `corruptPadding`.
    @inline(__always)
    var isAuthentic: Bool {
        get throws(CryptorError) {
            switch self {
            case .authentic: true
            case .tagMismatch: false
            case .badPadding: throw .corruptPadding
            }
        }
    }
}
