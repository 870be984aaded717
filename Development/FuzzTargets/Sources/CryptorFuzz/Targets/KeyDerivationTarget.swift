@testable import CryptorPrimitives

/// Every engine gives the keys of `PKCS5_PBKDF2_HMAC(3)`, for passwords and salts of any length, shared or not.
func keyDerivationTarget(_ input: consuming FuzzInput) throws {
    let iterations = 1 + Int(input.next() & 15)
    let count = 1 + Int(input.next() % 17)
    var password = SecretBytes(copying: [UInt8]().span.bytes)
    var requests: [PBKDF2.Request] = []
    var expected: [[UInt8]] = []
    for index in 0..<count {
        let lengths = input.next()
        // About every other request shares the password object of the request before.
        if index == 0 || lengths & 1 == 1 {
            let bytes = input.take(Int(input.next()))
            password = SecretBytes(copying: bytes.span.bytes)
        }
        let salt = input.take(lengths & 2 == 0 ? 8 : Int(lengths))
        requests.append(PBKDF2.Request(password: password, salt: salt))
        let key = try PBKDF2.deriveKey(password: password, salt: salt, iterations: iterations, engine: .openSSL)
        expected.append(key.withRawSpan { Array(copying: $0) })
    }
    for engine in PBKDF2.Engine.allCases where engine.isAvailable && engine != .openSSL {
        let keys = try PBKDF2.deriveKeys(for: requests, iterations: iterations, engine: engine)
        let bytes = keys.map { key in key.withRawSpan { Array(copying: $0) } }
        expect(bytes == expected, "\(engine): other keys than OpenSSL's, for \(count) requests")
    }
}
