// Code that was written for this package, in the same program as migrated code.
import CryptorFormat

private let password = "correct horse battery staple"
private let plaintext = Array("What was written on a telephone is read on a server.".utf8)

func checkNewCode(_ checks: inout Checks) {
    checks.check("Cryptor.encrypt and decrypt") {
        let message = try Cryptor.encrypt(plaintext, with: .password(password))
        return try Cryptor.decrypt(message, with: .password(password)) == plaintext
    }
    checks.check("Encryptor and Decryptor of CryptorFormat") {
        let keys = Credential.keys(try KeyPair.random())
        var encryptor = try Encryptor(keys)
        var message: [UInt8] = []
        try encryptor.update(plaintext.prefix(20), into: &message)
        try encryptor.update(plaintext.dropFirst(20), into: &message)
        try encryptor.finish(into: &message)

        var decryptor = try Decryptor(keys)
        var result: [UInt8] = []
        try decryptor.update(message, unverifiedInto: &result)
        try decryptor.finish(into: &result)
        return result == plaintext
    }
    checks.check("Header") {
        let header = try Header(parsing: try Cryptor.encrypt(plaintext, with: .password(password)))
        return header.version == .v3 && header.usesPassword
    }
    checks.check("CryptorError") {
        do throws(CryptorError) {
            _ = try Cryptor.decrypt(plaintext, with: .password(password))
            return false
        } catch {
            return error.code == .unsupportedVersion
        }
    }
}
