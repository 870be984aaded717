import CryptorFormat
import CryptorPrimitives

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The API of RNCryptor 5 on top of CryptorFormat: to move code that was written for it to Linux,
/// change its import.
///
/// ```swift
/// let message = RNCryptor.encrypt(data: plaintext, withPassword: password)
/// let plaintext = try RNCryptor.decrypt(data: message, withPassword: password)
/// ```
/// Names, signatures and errors are those of RNCryptor. It writes and reads only version 3 of the
/// format. The differences are:
///
/// | | RNCryptor 5 | here |
/// |---|---|---|
/// | right HMAC, wrong padding or no ciphertext | returns data | `hmacMismatch` |
/// | an encryptor used after it finished | wrong results | traps, with a message |
/// | a decryptor's `update` after it finished | undefined | `hmacMismatch` |
/// | a decryptor used after an error | depends on the error | throws that error again |
/// | an empty password to encrypt | traps or is accepted, by type | traps, with a message |
/// | an empty password to decrypt | traps or is accepted, by build | is wrong for every message |
/// | a chunk that is a slice of `Data` | can trap in a decryptor | is read correctly |
/// | a decryptor's `update` holds back | 32 bytes and the last block | 48 to 63 bytes |
/// | the domain of an `NSError` begins with | `RNCryptor.` | `RNCryptorCompat.` |
///
/// New code gets more from CryptorFormat itself: typed errors that say more, streams that cannot be
/// used after their end, files, and passwords and keys that are cleansed from memory.
public enum RNCryptor {
    /// Encrypts `data` into a message of version 3 with fresh salts and a fresh IV: 67 to 82 bytes
    /// longer.
    ///
    /// Traps if `password` is empty, or if OpenSSL fails or has no randomness.
    public static func encrypt(data: Data, withPassword password: String) -> Data {
        Encryptor(password: password).encrypt(data: data)
    }

    /// Decrypts a whole password message. Nothing is returned before its HMAC has matched.
    ///
    /// - Throws: an ``Error``: `unknownHeader` for an empty message or one of another version,
    ///   `messageTooShort` for one of 1 to 33 bytes, `invalidCredentialType`, `hmacMismatch`,
    ///   `memoryFailure`.
    public static func decrypt(data: Data, withPassword password: String) throws -> Data {
        try Decryptor(password: password).decrypt(data: data)
    }

    /// Returns `length` random bytes, fit for keys, from OpenSSL's generator for secrets
    /// (`RAND_priv_bytes(3)`).
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

extension RNCryptor {
    /// The sizes of version 3, in bytes, and its derivation of keys from passwords.
    public final class FormatV3 {
        /// The length of each key: 32 bytes.
        public static let keySize = MessageKeys.keyByteCount

        /// The length of each salt: 8 bytes.
        public static let saltSize = FormatVersion.v3.saltByteCount

        static let formatVersion = FormatVersion.v3.rawValue
        static let keyHeaderSize = FormatVersion.v3.headerByteCount(usingPassword: false)
        static let passwordHeaderSize = FormatVersion.v3.headerByteCount(usingPassword: true)

        /// Derives a key of `keySize` bytes: PBKDF2-HMAC-SHA1 with 10,000 iterations, which takes
        /// milliseconds and does not protect a short password.
        ///
        /// Traps if `password` is empty or OpenSSL fails. The returned bytes are not cleansed from
        /// memory.
        /// - Parameters:
        ///   - password: a password, whose UTF-8 bytes are used without normalisation.
        ///   - salt: `saltSize` random bytes from ``RNCryptor/randomData(ofLength:)``; other
        ///     lengths work too.
        public static func makeKey(forPassword password: String, withSalt salt: Data) -> Data {
            guard !password.isEmpty else { fatalError("RNCryptor: the password is empty") }
            let request = PBKDF2.Request(password: .copy(of: password.utf8), salt: Array(salt))
            let keys = trapping { () throws(OpenSSLError) in
                try PBKDF2.deriveKeys(for: [request], iterations: Credential.standardIterations)
            }
            return Data(keys[0].withRawSpan { bytes in Array(copying: bytes) })
        }
    }
}

extension RNCryptor {
    /// The errors of decryption. Encryption throws nothing.
    public enum Error: Int, Swift.Error, LocalizedError {
        /// The password or keys are wrong, or the message was altered, cut off or made by a faulty
        /// program. The format cannot tell a wrong credential from an altered message, and this
        /// error does not tell them from the other causes.
        case hmacMismatch = 1

        /// The first byte is not 3, or there is none: the input is not a message, is one of another
        /// version, or is still base64-encoded.
        case unknownHeader = 2

        /// The message ended within its header: 34 bytes with a password, 18 with keys.
        case messageTooShort

        /// OpenSSL failed, probably because memory ran out: no other cause is known.
        case memoryFailure

        /// A password was given for a key message, or keys for a password message.
        case invalidCredentialType

        /// A sentence for people, which Foundation's `localizedDescription` also returns.
        public var errorDescription: String? {
            switch self {
            case .hmacMismatch:
                "Wrong password or keys, or the message was altered or cut off."
            case .unknownHeader:
                "This is not a message of version 3 of the RNCryptor format."
            case .messageTooShort:
                "The message ends within its header."
            case .memoryFailure:
                "OpenSSL failed, probably because memory ran out."
            case .invalidCredentialType:
                "The message needs keys and a password was given, or the other way round."
            }
        }

        /// The error of RNCryptor for a message whose header is complete and known, if
        /// CryptorFormat throws `error`.
        ///
        /// RNCryptor then checks only the HMAC, so a length that no message has is a mismatch.
        /// Wrong padding under a right HMAC, which RNCryptor accepts, is a mismatch as well: code
        /// that handles that case does not trust the data.
        init(_ error: CryptorError) {
            switch error.code {
            case .authenticationFailed, .corruptPadding, .invalidMessageLength: self = .hmacMismatch
            default: self = .memoryFailure
            }
        }
    }
}

/// Returns the result of `body`, and traps if it throws: for functions that cannot throw because
/// RNCryptor's do not.
///
/// Unlike `try!`, this says why the program ends, even in a release build.
func trapping<Result: ~Copyable, Failure: Swift.Error>(_ body: () throws(Failure) -> Result)
    -> Result
{
    do throws(Failure) { return try body() } catch { fatalError("RNCryptor: \(error)") }
}

extension Credential {
    /// Traps if `password` is empty. Up to 64 zero bytes, which to HMAC are the same, do not trap:
    /// they may be a user's.
    init(password: String) {
        guard !password.isEmpty else { fatalError("RNCryptor: the password is empty") }
        let isZero = 1...64 ~= password.utf8.count && password.utf8.allSatisfy { $0 == 0 }
        self = trapping { () throws(CryptorError) in
            try isZero ? .emptyPassword : .password(password)
        }
    }

    /// Traps unless each key has 32 bytes.
    init(encryptionKey: Data, hmacKey: Data) {
        self = trapping { () throws(CryptorError) in
            .keys(try MessageKeys(encryptionKey: encryptionKey, hmacKey: hmacKey))
        }
    }
}
