import CryptorSystem
public import CryptorFormat
import CryptorFiles
import CryptorPrimitives

// Complete messages. A password costs a derivation on the pool's threads; with one pair of keys,
// small messages never leave the caller's thread.
extension CryptorPool {
    /// Encrypts `plaintext`, without a copy of it: see ``Cryptor/encrypt(_:with:)->[UInt8]``.
    /// - Throws: what that function throws, `cancelled`, or `overloaded` where the pool refuses.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with credential: Credential
    ) async throws(CryptorError) -> [UInt8] {
        let header = try credential.freshHeader()
        let source = credential.keySource(forWriting: header)
        return try await perform(source, byteCount: plaintext.count) {
            (keys) throws(CryptorError) in
            try Cryptor.encrypt(plaintext, header: header, keys: keys)
        }
    }

    /// Decrypts a complete message, without a copy of it: see
    /// ``Cryptor/decrypt(_:with:accepting:)->[UInt8]``. Its shape is checked before it waits for a
    /// thread.
    /// - Throws: what that function throws, `cancelled`, or `overloaded` where the pool refuses.
    public func decrypt(
        _ message: some Collection<UInt8> & Sendable, with credential: Credential,
        accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8] {
        try await open(message, with: credential, accepting: accepting).plaintext
    }

    /// Decrypts a complete message, and tells which credential opened it: see
    /// ``Cryptor/open(_:with:accepting:)``.
    public func open(
        _ message: some Collection<UInt8> & Sendable, with keyring: Credential,
        accepting: Acceptance = .default
    ) async throws(CryptorError) -> OpenedMessage {
        try await open(
            message, under: ReadingTerms(credential: keyring, accepting: accepting),
            isAdmitted: false)
    }

    func open(
        _ message: some Collection<UInt8> & Sendable, under terms: ReadingTerms, isAdmitted: Bool
    ) async throws(CryptorError) -> OpenedMessage {
        guard let source = try terms.keySource(for: try terms.header(ofWhole: message))
        else {
            return try await messages.run(isAdmitted: isAdmitted) { (_) throws(CryptorError) in
                OpenedMessage(try Cryptor.open(message, terms: terms))
            }
        }
        return try await perform(source, byteCount: message.count, isAdmitted: isAdmitted) {
            (keys) throws(CryptorError) in
            OpenedMessage(try Cryptor.open(message, terms: terms, keys: keys))
        }
    }
}
