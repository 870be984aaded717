import CryptorPrimitives
import CryptorTestSupport
import Testing

@Suite struct PBKDF2Tests {
    struct Published: Sendable, CustomTestStringConvertible {
        let password, salt: String
        let iterations: Int
        let key: String
        var testDescription: String { "\(password.debugDescription), \(iterations) iterations" }
    }

    /// RFC 6070, section 2, without the case of 16,777,216 iterations.
    static let published = [
        Published(
            password: "password", salt: "salt", iterations: 1, key: "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        Published(
            password: "password", salt: "salt", iterations: 2, key: "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        Published(
            password: "password", salt: "salt", iterations: 4096, key: "4b007901b765489abead49d926f721d065a429c1"),
        Published(
            password: "passwordPASSWORDpassword", salt: "saltSALTsaltSALTsaltSALTsaltSALTsalt", iterations: 4096,
            key: "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
        Published(
            password: "pass\0word", salt: "sa\0lt", iterations: 4096, key: "56fa6aa75548099dcc37d7f03425e0c3"),
    ]

    @Test(arguments: published)
    func publishedKey(_ test: Published) throws {
        let key = try PBKDF2.deriveKey(
            password: SecretBytes(Array(test.password.utf8)), salt: Array(test.salt.utf8), iterations: test.iterations,
            byteCount: test.key.count / 2)
        #expect(key.plain.hex == test.key)
    }

    @Test(arguments: [0, -1, Int(Int32.max) + 1, Int.min])
    func impossibleIterationCountsThrow(iterations: Int) {
        #expect(throws: OpenSSLError.self) {
            try PBKDF2.deriveKey(
                password: SecretBytes([1]), salt: [UInt8](repeating: 0, count: 8), iterations: iterations, byteCount: 32
            )
        }
    }
}
