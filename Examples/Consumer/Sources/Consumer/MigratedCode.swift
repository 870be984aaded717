// Code of an application for RNCryptor 5. On Linux one line of it differs: the original imports RNCryptor.
import Foundation
import RNCryptorCompat

private let password = "correct horse battery staple"
private let plaintext = Data("What was written on a telephone is read on a server.".utf8)

/// A version 3 message of the format's published vectors: password "thepassword", plaintext 01.
private let published = Data([
    0x03, 0x01, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x00, 0x01, 0xa1, 0xf8,
    0x73, 0x0e, 0x0b, 0xf4, 0x80, 0xeb, 0x7b, 0x70, 0xf6, 0x90, 0xab, 0xf2, 0x1e, 0x02, 0x95, 0x14, 0x16, 0x4a,
    0xd3, 0xc4, 0x74, 0xa5, 0x1b, 0x30, 0xc7, 0xea, 0xa1, 0xca, 0x54, 0x5b, 0x7d, 0xe3, 0xde, 0x5b, 0x01, 0x0a,
    0xcb, 0xad, 0x0a, 0x9a, 0x13, 0x85, 0x7d, 0xf6, 0x96, 0xa8,
])

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

private func processWhole<Cryptor: RNCryptorType>(_ data: Data, with type: Cryptor.Type) throws -> Data {
    try process(data, in: data.count, with: type.init(password: password))
}

func checkMigratedCode(_ checks: inout Checks) {
    checkPasswords(&checks)
    checkKeys(&checks)
    checkErrors(&checks)
}

private func checkPasswords(_ checks: inout Checks) {
    checks.check("RNCryptor.encrypt and decrypt") {
        let message = RNCryptor.encrypt(data: plaintext, withPassword: password)
        return try RNCryptor.decrypt(data: message, withPassword: password) == plaintext
    }
    checks.check("a published message") {
        try RNCryptor.decrypt(data: published, withPassword: "thepassword") == Data([1])
    }
    checks.check("Encryptor and Decryptor, whole") {
        let message = RNCryptor.Encryptor(password: password).encrypt(data: plaintext)
        return try RNCryptor.Decryptor(password: password).decrypt(data: message) == plaintext
    }
    checks.check("Encryptor and Decryptor, in chunks") {
        let encryptor = RNCryptor.Encryptor(password: password)
        var message = encryptor.update(withData: plaintext.prefix(20))
        message.append(encryptor.update(withData: plaintext.dropFirst(20)))
        message.append(encryptor.finalData())

        let decryptor = RNCryptor.Decryptor(password: password)
        var result = try decryptor.update(withData: message.prefix(50))
        result.append(try decryptor.update(withData: message.dropFirst(50)))
        result.append(try decryptor.finalData())
        return result == plaintext
    }
    checks.check("EncryptorV3 and DecryptorV3 with a password") {
        let encryptor = RNCryptor.EncryptorV3(password: password)
        let message = encryptor.update(withData: plaintext) + encryptor.finalData()
        let decryptor = RNCryptor.DecryptorV3(password: password)
        return try decryptor.update(withData: message) + decryptor.finalData() == plaintext
    }
    checks.check("RNCryptorType") {
        let message = try process(plaintext, in: 7, with: RNCryptor.EncryptorV3(password: password))
        return try processWhole(message, with: RNCryptor.Decryptor.self) == plaintext
    }
}

private func checkKeys(_ checks: inout Checks) {
    checks.check("randomData, FormatV3.keySize and saltSize") {
        RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize).count == 32
            && RNCryptor.randomData(ofLength: RNCryptor.FormatV3.saltSize).count == 8
    }
    checks.check("FormatV3.makeKey") {
        let salt = Data([1, 2, 3, 4, 5, 6, 7, 8])
        let key = RNCryptor.FormatV3.makeKey(forPassword: "a", withSalt: salt)
        return key.count == 32 && Array(key.prefix(4)) == [0xfc, 0x63, 0x2b, 0x0c]
    }
    checks.check("EncryptorV3 and DecryptorV3 with keys") {
        let encryptionKey = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
        let hmacKey = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
        let encryptor = RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey)
        let message = encryptor.encrypt(data: plaintext)
        let decryptor = RNCryptor.DecryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey)
        return try decryptor.decrypt(data: message) == plaintext
    }
}

private func checkErrors(_ checks: inout Checks) {
    let message = RNCryptor.encrypt(data: plaintext, withPassword: password)
    checks.check("hmacMismatch", throws: RNCryptor.Error.hmacMismatch) {
        _ = try RNCryptor.decrypt(data: message, withPassword: "incorrect horse")
    }
    checks.check("unknownHeader", throws: RNCryptor.Error.unknownHeader) {
        _ = try RNCryptor.decrypt(data: plaintext, withPassword: password)
    }
    checks.check("messageTooShort", throws: RNCryptor.Error.messageTooShort) {
        _ = try RNCryptor.decrypt(data: message.prefix(33), withPassword: password)
    }
    checks.check("invalidCredentialType", throws: RNCryptor.Error.invalidCredentialType) {
        let key = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
        _ = try RNCryptor.DecryptorV3(encryptionKey: key, hmacKey: key).decrypt(data: message)
    }
    checks.check("a switch over all errors") {
        let names = (1...5).compactMap(RNCryptor.Error.init(rawValue:)).map { error in
            switch error {
            case .hmacMismatch: "HMAC"
            case .unknownHeader: "header"
            case .messageTooShort: "short"
            case .memoryFailure: "memory"
            case .invalidCredentialType: "credential"
            }
        }
        return names == ["HMAC", "header", "short", "memory", "credential"]
    }
}
