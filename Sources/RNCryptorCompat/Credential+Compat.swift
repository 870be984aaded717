import CryptorFormat

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Credential {
    /// Traps if `password` is empty.
    init(password: String) {
        self = trapping { () throws(CryptorError) in try .password(password) }
    }

    /// Traps unless each key has 32 bytes.
    init(encryptionKey: Data, hmacKey: Data) {
        self = trapping { () throws(CryptorError) in
            .keys(try KeyPair(encryptionKey: encryptionKey, hmacKey: hmacKey))
        }
    }
}
