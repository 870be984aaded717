#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// `Data` in, `Data` out.
extension CryptorPool {
    /// Encrypts `plaintext`: see ``encrypt(_:with:concurrency:)->[UInt8]``.
    public func encrypt(
        _ plaintext: Data, with credential: Credential, concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> Data {
        let header = try credential.freshHeader()
        return try await perform(credential, header, byteCount: plaintext.count) { (credential) throws(CryptorError) in
            try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency)
        }
    }

    /// Decrypts a whole message: see ``decrypt(_:with:accepting:concurrency:)->[UInt8]``.
    public func decrypt(
        _ message: Data, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> Data {
        let header = try Self.header(of: message, with: credential, accepting)
        return try await perform(credential, header, byteCount: message.count) { (credential) throws(CryptorError) in
            try Cryptor.decrypt(message, with: credential, accepting: accepting, concurrency: concurrency)
        }
    }
}
