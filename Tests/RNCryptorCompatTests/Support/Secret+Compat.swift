import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

@testable import RNCryptorCompat

extension Secret {
    func decryptorV3() -> RNCryptor.DecryptorV3 {
        switch self {
        case .password(let text): RNCryptor.DecryptorV3(password: text)
        case .keys(let encryption, let hmac):
            RNCryptor.DecryptorV3(encryptionKey: Data(encryption), hmacKey: Data(hmac))
        }
    }

    /// One decryptor of each type that takes such a secret.
    func decryptors() -> [any RNCryptorType] {
        guard case .password(let text) = self else { return [decryptorV3()] }
        return [decryptorV3(), RNCryptor.Decryptor(password: text)]
    }
}

extension ReadableVector {
    /// An encryptor with the salts and the IV of this vector.
    func encryptor() throws -> RNCryptor.EncryptorV3 {
        let header = try #require(header, "\(self)")
        let iv = Data(header.iv)
        switch secret {
        case .password(let text):
            return RNCryptor.EncryptorV3(
                password: text, encryptionSalt: Data(header.salts?.encryption ?? []),
                hmacSalt: Data(header.salts?.hmac ?? []), iv: iv)
        case .keys(let encryption, let hmac):
            return RNCryptor.EncryptorV3(encryptionKey: Data(encryption), hmacKey: Data(hmac), iv: iv)
        }
    }
}
