import CryptorFormat
import CryptorPrimitives

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RNCryptor {
    /// The sizes of version 3, in bytes, and its derivation of keys from passwords.
    public final class FormatV3 {
        /// The length of each key: 32 bytes.
        public static let keySize = KeyPair.keyByteCount

        /// The length of each salt: 8 bytes.
        public static let saltSize = FormatSize.salt

        static let formatVersion = FormatVersion.v3.rawValue
        static let ivSize = FormatSize.iv
        static let hmacSize = FormatSize.tag
        static let keyHeaderSize = FormatSize.keyHeader
        static let passwordHeaderSize = FormatSize.passwordHeader

        /// Derives a key of `keySize` bytes: PBKDF2-HMAC-SHA1 with 10,000 iterations, which takes milliseconds and is
        /// too little to protect a short password.
        ///
        /// Traps if `password` is empty or OpenSSL fails. Nobody cleanses the returned bytes from memory.
        /// - Parameters:
        ///   - password: a password, whose UTF-8 bytes are used without normalisation.
        ///   - salt: `saltSize` random bytes from ``RNCryptor/randomData(ofLength:)``; other lengths work too.
        public static func makeKey(forPassword password: String, withSalt salt: Data) -> Data {
            guard !password.isEmpty else { fatalError("RNCryptor: the password is empty") }
            let secret = withRawSpan(of: password.utf8) { bytes in SecretBytes(copying: bytes) }
            let key = trapping { () throws(CryptorError) in
                try KeyDerivation.key(password: secret, salt: Array(salt))
            }
            return Data(key.withRawSpan { bytes in Array(copying: bytes) })
        }
    }
}

/// RNCryptor's name, for tests that came from there.
typealias V3 = RNCryptor.FormatV3
