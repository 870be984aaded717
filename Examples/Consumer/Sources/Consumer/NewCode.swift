// Code that was written for this package, in the same program as migrated code.
import CryptorFormat

func checkNewCode() {
    let plaintext = Array("What was written on a telephone is read on a server.".utf8)
    check("Cryptor.encrypt and decrypt") {
        let password = try Credential.password("correct horse battery staple")
        let message = try Cryptor.encrypt(plaintext, with: password)
        return try Cryptor.decrypt(message, with: password) == plaintext
    }
    check("Encryptor and Decryptor of CryptorFormat") {
        let keys = Credential.keys(try MessageKeys.random())
        var encryptor = try Encryptor(keys)
        var message: [UInt8] = []
        try encryptor.update(plaintext, into: &message)
        try encryptor.finish(into: &message)

        var decryptor = try Decryptor(keys)
        var result: [UInt8] = []
        try decryptor.update(message, unverifiedInto: &result)
        try decryptor.finish(into: &result)
        return result == plaintext
    }
}
