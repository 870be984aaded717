import CryptorPrimitives

/// The HMAC of a message under one of the credentials that may be its own. Several run side by side over one reading.
///
/// A class, since arrays hold nothing that cannot be copied; whoever has it is its only owner.
final class CandidateAuthenticator: @unchecked Sendable {
    private let hmacKey: SecretBytes
    private let encryptionKey: () throws(CryptorError) -> SecretBytes
    private var authenticator: MessageAuthenticator

    /// Derives the HMAC key, and not yet the encryption key.
    convenience init(_ credential: Credential, header: Header) throws(CryptorError) {
        let hmacKey = try credential.hmacKey(for: header)
        try self.init(hmacKey: hmacKey, header: header) { () throws(CryptorError) in
            try credential.encryptionKey(for: header)
        }
    }

    /// With keys that have been derived.
    convenience init(_ keys: KeyPair, header: Header) throws(CryptorError) {
        try self.init(hmacKey: keys.hmacKey, header: header) { keys.encryptionKey }
    }

    private init(
        hmacKey: SecretBytes, header: Header, encryptionKey: @escaping () throws(CryptorError) -> SecretBytes
    ) throws(CryptorError) {
        self.hmacKey = hmacKey
        self.encryptionKey = encryptionKey
        self.authenticator = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: hmacKey, header: header)
        }
    }

    func update(_ ciphertext: RawSpan) throws(CryptorError) {
        try openSSL { () throws(OpenSSLError) in try authenticator.update(ciphertext) }
    }

    /// Adds ciphertext, which a helper may hash while the caller reads it.
    /// - Returns: an array that is not needed any more.
    func update(_ ciphertext: [UInt8], besideCaller: Bool) throws(CryptorError) -> [UInt8]? {
        try openSSL { () throws(OpenSSLError) in try authenticator.update(ciphertext, besideCaller: besideCaller) }
    }

    /// Nothing can be added afterwards.
    func matches(_ trailer: RawSpan) throws(CryptorError) -> Bool {
        try openSSL { () throws(OpenSSLError) in try authenticator.finish(matching: trailer) }
    }

    /// Both keys, once this is known to be the right credential.
    func keys() throws(CryptorError) -> KeyPair {
        KeyPair(encryptionKey: try encryptionKey(), hmacKey: hmacKey)
    }
}
