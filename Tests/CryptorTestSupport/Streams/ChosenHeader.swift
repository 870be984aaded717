import CryptorFormat
import CryptorPrimitives

// Tests choose the header: version, salts and IV.

extension Encryptor {
    package init(_ credential: Credential, header: Header) throws(CryptorError) {
        try self.init(header, keys: try credential.keySource(forWriting: header).keys())
    }
}

extension Cryptor {
    package static func encrypt(
        _ plaintext: some Collection<UInt8>, with credential: Credential, header: Header
    ) throws(CryptorError) -> [UInt8] {
        try encrypt(plaintext, header: header, keys: try credential.keySource(forWriting: header).keys())
    }
}
