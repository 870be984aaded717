#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

import CryptorSystem

public import CryptorFormat

import CryptorFiles

// Functions that take and return `Data`.
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
