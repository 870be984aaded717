// Code of an application for RNCryptor 5. On Linux one line of it differs: the original imports
// RNCryptor.
import Foundation
import RNCryptorCompat

private let password = "correct horse battery staple"
private let plaintext = Data("What was written on a telephone is read on a server.".utf8)

/// Encrypts or decrypts, whichever `cryptor` does.
private func process(_ data: Data, in size: Int, with cryptor: RNCryptorType) throws -> Data {
    var result = Data()
    var rest = data
    while !rest.isEmpty {
        result.append(try cryptor.update(withData: rest.prefix(size)))
        rest = rest.dropFirst(size)
    }
    result.append(try cryptor.finalData())
    return result
}

private func processWhole<Cryptor: RNCryptorType>(_ data: Data, with type: Cryptor.Type) throws
    -> Data
{
    try process(data, in: data.count, with: type.init(password: password))
}

func checkMigratedCode() {
    let message = RNCryptor.encrypt(data: plaintext, withPassword: password)
    check("RNCryptor.encrypt and decrypt") {
        try RNCryptor.decrypt(data: message, withPassword: password) == plaintext
    }
    check("Encryptor and Decryptor, in chunks") {
        let encryptor = RNCryptor.Encryptor(password: password)
        var message = encryptor.update(withData: plaintext.prefix(20))
        message.append(encryptor.update(withData: plaintext.dropFirst(20)))
        message.append(encryptor.finalData())
        return try RNCryptor.Decryptor(password: password).decrypt(data: message) == plaintext
    }
    check("RNCryptorType") {
        let message = try process(plaintext, in: 7, with: RNCryptor.EncryptorV3(password: password))
        return try processWhole(message, with: RNCryptor.Decryptor.self) == plaintext
    }
    check("EncryptorV3 and DecryptorV3 with keys") {
        let encryptionKey = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
        let salt = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.saltSize)
        let hmacKey = RNCryptor.FormatV3.makeKey(forPassword: password, withSalt: salt)
        let encryptor = RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey)
        let message = encryptor.encrypt(data: plaintext)
        let decryptor = RNCryptor.DecryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey)
        return try decryptor.decrypt(data: message) == plaintext
    }
    check("errors") {
        do {
            _ = try RNCryptor.decrypt(data: message, withPassword: "incorrect horse")
            return false
        } catch let error as RNCryptor.Error {
            switch error {
            case .hmacMismatch: return true
            case .unknownHeader, .messageTooShort, .memoryFailure, .invalidCredentialType:
                return false
            }
        }
    }
}
