#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Functions that take and return `Data`.
extension CryptorPool {
    /// Encrypts `plaintext`: see ``encrypt(_:with:concurrency:)->[UInt8]``.
    /// - Parameters:
    ///   - plaintext: any number of bytes, even none.
    ///   - credential: a password or keys.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    public func encrypt(
        _ plaintext: Data, with credential: Credential, concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> Data {
        try await message(of: plaintext, with: credential, concurrency)
    }

    /// Decrypts a whole message: see ``decrypt(_:with:accepting:concurrency:)->[UInt8]``.
    /// - Parameters:
    ///   - message: a message of an accepted version (by default 3 or 2).
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    public func decrypt(
        _ message: Data, with credential: Credential, accepting: Acceptance = .default,
        concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> Data {
        try await plaintext(of: message, ReadingTerms(credential: credential, accepting: accepting), concurrency)
    }

    /// Encrypts each of `plaintexts`: see ``encryptAll(_:with:concurrency:)->[Result<[UInt8],CryptorError>]``.
    /// - Parameters:
    ///   - plaintexts: any number of them.
    ///   - credential: a password or keys.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    public func encryptAll(
        _ plaintexts: some Collection<Data>, with credential: Credential, concurrency: Concurrency = .automatic
    ) async -> [Result<Data, CryptorError>] {
        await inGroups(Array(plaintexts)) { group in
            Cryptor.encryptAll(group, with: credential, concurrency: concurrency)
        }
    }

    /// Decrypts each of `messages`: see ``decryptAll(_:with:accepting:concurrency:)->[Result<[UInt8],CryptorError>]``.
    /// - Parameters:
    ///   - messages: any number of them, each of an accepted version.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    public func decryptAll(
        _ messages: some Collection<Data>, with credential: Credential, accepting: Acceptance = .default,
        concurrency: Concurrency = .automatic
    ) async -> [Result<Data, CryptorError>] {
        await inGroups(Array(messages)) { group in
            Cryptor.decryptAll(group, with: credential, accepting: accepting, concurrency: concurrency)
        }
    }
}
