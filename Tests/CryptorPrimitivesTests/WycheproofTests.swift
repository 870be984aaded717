import CryptorPrimitives
import TestSupport
import Testing

/// The vectors of C2SP's Wycheproof, which look for the mistakes that were made before.
@Suite(.enabled(if: ExtraVectors.areGiven, "CRYPTORFORMAT_EXTRA_VECTORS names no folder"))
struct WycheproofTests {
    struct CipherGroup: Decodable { let keySize, ivSize: Int }
    struct CipherCase: Decodable {
        let tcId: Int
        let comment, result: String
        let key, iv, msg, ct: Hex
    }

    @Test func cipher() throws {
        let cases = try Wycheproof<CipherGroup, CipherCase>("aes_cbc_pkcs5").cases
            .filter { $0.group.keySize == 256 && $0.group.ivSize == 128 }.map(\.case)
        #expect(cases.count >= 72)
        for test in cases {
            let key = SecretBytes(test.key.bytes)
            let name: Comment = "case \(test.tcId), \(test.comment)"
            if test.result == "valid" {
                let actual = try BareCBC.encrypt(test.msg.bytes, key: key, iv: test.iv.bytes)
                #expect(actual == test.ct.bytes, name)
            }
            let plaintext = try decryptAndUnpad(test.ct.bytes, key: key, iv: test.iv.bytes)
            #expect(plaintext == (test.result == "valid" ? test.msg.bytes : nil), name)
        }
    }

    /// Nil for what is not whole blocks, and at least one, with right padding.
    private func decryptAndUnpad(_ ciphertext: [UInt8], key: SecretBytes, iv: [UInt8]) throws -> [UInt8]? {
        guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else { return nil }
        let padded = try BareCBC.decrypt(ciphertext, key: key, iv: iv)
        let count = withRawSpan(of: padded.suffix(16)) { block in PKCS7Padding.plaintextByteCount(ofLastBlock: block) }
        return count.map { Array(padded.prefix(padded.count - 16 + $0)) }
    }

    struct CodeGroup: Decodable { let tagSize: Int }
    struct CodeCase: Decodable {
        let tcId: Int
        let comment, result: String
        let key, msg, tag: Hex
    }

    @Test func code() throws {
        let cases = try Wycheproof<CodeGroup, CodeCase>("hmac_sha256").cases
        #expect(cases.count >= 174)
        for (group, test) in cases {
            let tagByteCount = group.tagSize / 8
            func authenticator() throws -> HMACAuthenticator {
                var authenticator = try HMACAuthenticator(key: SecretBytes(test.key.bytes))
                try authenticator.update(test.msg.bytes)
                return authenticator
            }
            var finished = try authenticator()
            let code = try finished.finish().plain
            let isMatch = Array(code.prefix(tagByteCount)) == test.tag.bytes
            #expect(isMatch == (test.result == "valid"), "case \(test.tcId), \(test.comment): \(code.hex)")
            guard tagByteCount == HMACAuthenticator.Hash.sha256.byteCount else { continue }
            var compared = try authenticator()
            let matches = try withRawSpan(of: test.tag.bytes) { tag in try compared.finish(matching: tag) }
            #expect(matches == (test.result == "valid"), "case \(test.tcId), \(test.comment)")
        }
    }

    struct DerivationGroup: Decodable {}
    struct DerivationCase: Decodable {
        let tcId, iterationCount, dkLen: Int
        let comment, result: String
        let password, salt, dk: Hex
    }

    static func derivations() throws -> [DerivationCase] {
        let cases = try Wycheproof<DerivationGroup, DerivationCase>("pbkdf2_hmacsha1").cases.map(\.case)
        // 16,777,216 iterations take seconds.
        let quick = cases.filter { $0.iterationCount <= 100_000 }
        #expect(quick.count >= 63)
        return quick
    }

    @Test func derivation() throws {
        for test in try Self.derivations() {
            let key = try PBKDF2.deriveKey(
                password: SecretBytes(test.password.bytes), salt: test.salt.bytes, iterations: test.iterationCount,
                byteCount: test.dkLen)
            #expect(key.plain == test.dk.bytes, "case \(test.tcId), \(test.comment)")
        }
    }
}
