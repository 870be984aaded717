import CryptorSystem
public import CryptorFormat
import CryptorFiles
import CryptorPrimitives

// Complete messages. A password costs a derivation on the pool's threads; with keys, small messages never leave the
// caller's thread.
extension CryptorPool {
    /// Encrypts `plaintext`: see ``Cryptor/encrypt(_:with:)->[UInt8]``.
    /// - Parameters:
    ///   - plaintext: any number of bytes. It is not copied.
    ///   - credential: a password or keys.
    /// - Throws: what that function throws, `cancelled`, or `overloaded` where the pool refuses.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with credential: Credential
    ) async throws(CryptorError) -> [UInt8] {
        try await message(of: plaintext, with: credential)
    }

    /// Decrypts a complete message: see ``Cryptor/decrypt(_:with:accepting:)->[UInt8]``. Its shape is
    /// checked before it waits for a thread.
    /// - Parameters:
    ///   - message: a message of a version that is accepted, 3 or 2 by default. It is not copied.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    /// - Throws: what that function throws, `cancelled`, or `overloaded` where the pool refuses.
    public func decrypt(
        _ message: some Collection<UInt8> & Sendable, with credential: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8] {
        try await plaintext(of: message, ReadingTerms(credential: credential, accepting: accepting))
    }

    func message<Message: WrittenBytes & Sendable>(
        of plaintext: some Collection<UInt8> & Sendable, with credential: Credential
    ) async throws(CryptorError) -> Message {
        let header = try credential.freshHeader()
        let source = try credential.keySource(for: header)
        return try await perform(source, byteCount: plaintext.count) { (keys) throws(CryptorError) in
            try Cryptor.encrypt(plaintext, header: header, keys: keys)
        }
    }

    func plaintext<Plaintext: WrittenBytes & Sendable>(
        of message: some Collection<UInt8> & Sendable, _ terms: ReadingTerms
    ) async throws(CryptorError) -> Plaintext {
        guard let source = try terms.keySource(for: try terms.header(ofWhole: message)) else {
            return try await messages.run { (_) throws(CryptorError) in
                try Cryptor.decrypt(message, terms: terms)
            }
        }
        return try await perform(source, byteCount: message.count) { (keys) throws(CryptorError) in
            try Cryptor.decrypt(message, terms: terms, keys: keys)
        }
    }
}
