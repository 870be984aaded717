#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

internal import CryptorPrimitives

// Functions that take and return `Data`. The rest of the library does not use Foundation.
extension Cryptor {
    /// Encrypts `plaintext` into a message of version 3 with fresh salts and a fresh IV.
    ///
    /// - Parameters:
    ///   - plaintext: any number of bytes.
    ///   - credential: a password or keys.
    /// - Returns: the message: 67 to 82 bytes longer than the plaintext with a password, 51 to 66 with keys.
    /// - Throws: `cryptoLibraryFailure`.
    public static func encrypt(
        _ plaintext: Data, with credential: Credential
    ) throws(CryptorError) -> Data {
        try encrypt(plaintext.bytes, with: credential)
    }

    /// Decrypts a whole message. The shape is checked before keys are derived, the HMAC before the padding.
    ///
    /// - Parameters:
    ///   - message: a message of an accepted version (by default 3 or 2).
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    /// - Returns: the authentic plaintext.
    /// - Throws: `invalidMessageLength`, `unsupportedVersion`, `versionNotAccepted`,
    ///   `looksBase64Encoded`, `credentialMismatch`, `authenticationFailed`, `corruptPadding` or
    ///   `cryptoLibraryFailure`.
    public static func decrypt(
        _ message: Data, with credential: Credential, accepting: Acceptance = .default
    ) throws(CryptorError) -> Data {
        try decrypt(
            message, terms: ReadingTerms(credential: credential, accepting: accepting))
    }
}

extension Data: WrittenBytes {
    /// Takes over the memory that `body` has written to, so that large results are not copied.
    package init<Failure: Error>(
        byteCapacity capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = unsafe try heapBytes(capacity: capacity, body)
        guard let start = memory.baseAddress else { preconditionFailure("memory has an address") }
        unsafe self.init(bytesNoCopy: start, count: memory.count, deallocator: .free)
    }
}
#endif
