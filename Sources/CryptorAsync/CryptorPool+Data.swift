#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

public import CryptorFormat

// Functions that take and return `Data`.
extension CryptorPool {
    /// Encrypts `plaintext`: see ``encrypt(_:with:)->[UInt8]``, which throws the same errors.
    public func encrypt(
        _ plaintext: Data, with credential: Credential
    ) async throws(CryptorError) -> Data {
        try await message(of: plaintext, with: credential)
    }

    /// Decrypts a complete message: see ``decrypt(_:with:accepting:)->[UInt8]``, which throws the
    /// same errors.
    public func decrypt(
        _ message: Data, with credential: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> Data {
        try await opened(message, with: credential, accepting: accepting).plaintext
    }

    /// Re-encrypts a message with the primary credential, unless that already opens it: see
    /// ``rotate(_:with:accepting:)->[UInt8]?``, which throws the same errors.
    public func rotate(
        _ message: Data, with keyring: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> Data? {
        let rotated: [UInt8]? = try await rotate(message, with: keyring, accepting: accepting)
        return rotated.map { Data($0) }
    }
}
#endif
