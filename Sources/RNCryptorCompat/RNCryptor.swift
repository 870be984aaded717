import CryptorFormat
import CryptorPrimitives

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The API of RNCryptor 5, over CryptorFormat: code that was written for it moves to Linux by changing its import.
///
/// ```swift
/// let message = RNCryptor.encrypt(data: plaintext, withPassword: "correct horse battery staple")
/// let plaintext = try RNCryptor.decrypt(data: message, withPassword: "correct horse battery staple")
/// ```
/// Names, signatures and errors are those of RNCryptor. Version 3 of the format is the only one that is written or
/// read. The differences are:
///
/// | | RNCryptor 5 | here |
/// |---|---|---|
/// | right HMAC, wrong padding or no ciphertext | returns data | `hmacMismatch` |
/// | a cryptor used after it finished | wrong results | traps, with a message |
/// | a decryptor used after an error | depends on the error | throws that error again |
/// | an empty password | traps or is accepted, by type and build | traps, with a message; is wrong for decryptors |
/// | a salt of another length than 8 (internal initialiser) | writes what nobody can read | traps, with a message |
/// | a chunk that is a slice of `Data` | can trap in a decryptor | is read correctly |
/// | a decryptor's `update` | holds back 32 bytes and the last block | 48 to 63 bytes, so it returns other portions |
/// | the domain of an error as `NSError` | `RNCryptor.RNCryptor.Error` | `RNCryptorCompat.RNCryptor.Error` |
///
/// New code gets more from CryptorFormat itself: typed errors that say more, streams that cannot be used after their
/// end, files, and passwords and keys that are cleansed from memory.
public enum RNCryptor {
    /// Encrypts `data` into a message of version 3 with fresh salts and a fresh IV: 67 to 82 bytes longer.
    ///
    /// Traps if `password` is empty, or if OpenSSL fails or has no randomness.
    public static func encrypt(data: Data, withPassword password: String) -> Data {
        Encryptor(password: password).encrypt(data: data)
    }

    /// Decrypts a whole password message. Nothing is returned before its HMAC matched.
    ///
    /// - Throws: an ``Error``: `unknownHeader` for an empty message or one of another version, `messageTooShort` for
    ///   one of 1 to 33 bytes, `invalidCredentialType`, `hmacMismatch`, `memoryFailure`.
    public static func decrypt(data: Data, withPassword password: String) throws -> Data {
        try Decryptor(password: password).decrypt(data: data)
    }

    /// Returns `length` random bytes, fit for keys, from OpenSSL's generator for secrets (`RAND_priv_bytes(3)`).
    ///
    /// Traps if `length` is negative, or if OpenSSL has no randomness: there is no other source.
    public static func randomData(ofLength length: Int) -> Data {
        guard length >= 0 else { fatalError("RNCryptor: \(length) random bytes were asked for") }
        var data = Data(capacity: length)
        // The bytes are made in pieces, because OpenSSL counts with 32 bits.
        while data.count < length {
            let piece = trapping { () throws(OpenSSLError) in
                try RandomBytes.secret(count: min(length - data.count, 1 << 20))
            }
            data.append(contentsOf: piece.withRawSpan { bytes in Array(copying: bytes) })
        }
        return data
    }
}

/// Returns the result of `body`, and traps if it throws: for functions that cannot throw because RNCryptor's do not.
///
/// Unlike `try!`, this says why the program ends, in a release build as well.
func trapping<Result: ~Copyable, Failure: Swift.Error>(_ body: () throws(Failure) -> Result) -> Result {
    do throws(Failure) { return try body() } catch { fatalError("RNCryptor: \(error)") }
}
