#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
#endif
import CryptorSystem
public import CryptorFormat
import CryptorFiles
import CryptorPrimitives

// Complete messages. A password costs a derivation on the pool's threads; with keys, small messages never leave the
// caller's thread.
extension CryptorPool {
    /// Encrypts `plaintext`, without a copy of it: see ``Cryptor/encrypt(_:with:)->[UInt8]``.
    /// - Throws: what that function throws, `cancelled`, or `overloaded` where the pool refuses.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with credential: Credential
    ) async throws(CryptorError) -> [UInt8] {
        try await message(of: plaintext, with: credential)
    }

    /// Decrypts a complete message, without a copy of it: see ``Cryptor/decrypt(_:with:accepting:)->[UInt8]``. Its
    /// shape is checked before it waits for a thread.
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

#if Foundation
extension CryptorPool {
    /// Encrypts `plaintext`: see ``encrypt(_:with:)->[UInt8]``, which throws the same errors.
    public func encrypt(_ plaintext: Data, with credential: Credential) async throws(CryptorError) -> Data {
        try await message(of: plaintext, with: credential)
    }

    /// Decrypts a complete message: see ``decrypt(_:with:accepting:)->[UInt8]``, which throws the same errors.
    public func decrypt(
        _ message: Data, with credential: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> Data {
        try await plaintext(of: message, ReadingTerms(credential: credential, accepting: accepting))
    }
}
#endif
