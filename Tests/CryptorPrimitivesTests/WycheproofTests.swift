import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// The vectors of C2SP's Wycheproof, which look for mistakes that other implementations have made.
@Suite struct WycheproofTests {
    struct CipherCase: Decodable {
        let id: Int
        let comment: String
        let valid: Bool
        let key, iv, plaintext, ciphertext: Hex
    }

    @Test func cipher() throws {
        for test in try PrimitiveVectors<CipherCase>.load("aes-256-cbc", count: 72) {
            let key = SecretBytes(test.key.bytes)
            let name: Comment = "case \(test.id), \(test.comment)"
            if test.valid {
                let actual = try encrypt(test.plaintext.bytes, key: key, iv: test.iv.bytes)
                #expect(actual == test.ciphertext.bytes, name)
            }
            let plaintext = try decryptAndUnpad(test.ciphertext.bytes, key: key, iv: test.iv.bytes)
            #expect(plaintext == (test.valid ? test.plaintext.bytes : nil), name)
        }
    }

    private func encrypt(_ plaintext: [UInt8], key: SecretBytes, iv: [UInt8]) throws -> [UInt8] {
        var cipher = try AESCipher(.encrypt, key: key, iv: iv)
        return try Array(byteCapacity: plaintext.count + 16) { (output) throws(OpenSSLError) in
            try cipher.update(plaintext.span.bytes, into: &output)
            try cipher.finishEncryption(into: &output)
        }
    }

    /// Returns nil unless the ciphertext is one or more complete blocks that end in right padding.
    private func decryptAndUnpad(_ ciphertext: [UInt8], key: SecretBytes, iv: [UInt8]) throws
        -> [UInt8]?
    {
        guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else { return nil }
        var cipher = try AESCipher(.decrypt, key: key, iv: iv)
        var padded: [UInt8] = []
        try cipher.update(ciphertext, replacing: &padded)
        let count = withRawSpan(of: padded.suffix(16)) { block in
            PKCS7Padding.plaintextByteCount(ofLastBlock: block)
        }
        return count.map { Array(padded.prefix(padded.count - 16 + $0)) }
    }

    struct CodeCase: Decodable {
        let id: Int
        let comment: String
        let valid: Bool
        let key, message, code: Hex
    }

    @Test func code() throws {
        for test in try PrimitiveVectors<CodeCase>.load("hmac-sha256", count: 174) {
            func authenticator() throws -> HMACAuthenticator {
                var authenticator = try HMACAuthenticator(key: SecretBytes(test.key.bytes))
                try authenticator.update(test.message.bytes)
                return authenticator
            }
            let name: Comment = "case \(test.id), \(test.comment)"
            var finished = try authenticator()
            let code = try finished.finish()
            #expect(
                (code.prefix(test.code.bytes.count) == test.code.bytes[...]) == test.valid, name)
            guard test.code.bytes.count == HMACAuthenticator.byteCount else { continue }
            var compared = try authenticator()
            let matches = try withRawSpan(of: test.code.bytes) { code in
                try compared.finish(matching: code)
            }
            #expect(matches == test.valid, name)
        }
    }

    @Test func codeOfVersion0() throws {
        for test in try PrimitiveVectors<CodeCase>.load("hmac-sha1", count: 170) {
            let code = try withRawSpan(of: test.message.bytes) { message in
                try Version0Algorithms.hmac(of: message, key: SecretBytes(test.key.bytes)).plain
            }
            #expect(code.count == 20)
            #expect(
                (code.prefix(test.code.bytes.count) == test.code.bytes[...]) == test.valid,
                "case \(test.id), \(test.comment)")
        }
    }

    struct DerivationCase: Decodable {
        let id, iterations: Int
        let comment: String
        let password, salt, key: Hex
    }

    static func derivations() throws -> [DerivationCase] {
        try PrimitiveVectors<DerivationCase>.load("pbkdf2-hmac-sha1", count: 63)
    }
}
