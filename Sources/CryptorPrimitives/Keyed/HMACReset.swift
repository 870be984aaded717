/// Whether `EVP_MAC_init` without a key begins a new HMAC under the old key, as its manual says. In OpenSSL 3.0.0 to
/// 3.0.2 it silently continues the previous HMAC.
package enum HMACReset {
    /// For tests: pretends that `EVP_MAC_init` does not.
    @TaskLocal package static var isBroken = false

    /// Tested with a known answer once per process, and once more in FIPS mode, which uses another provider.
    package static var isSound: Bool { (Algorithm.isFIPSEnabled ? isSoundInFIPSMode : isSoundOrdinarily) && !isBroken }

    private static let isSoundOrdinarily = passesKnownAnswer()
    private static let isSoundInFIPSMode = passesKnownAnswer()

    private static func passesKnownAnswer() -> Bool {
        // RFC 4231, test case 2.
        let key = Array("Jefe".utf8)
        let data = Array("what do ya want for nothing?".utf8)
        let expected: [UInt8] = [
            0x5B, 0xDC, 0xC1, 0x46, 0xBF, 0x60, 0x75, 0x4E, 0x6A, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xC7, 0x5A, 0x00,
            0x3F, 0x08, 0x9D, 0x27, 0x39, 0x83, 0x9D, 0xEC, 0x58, 0xB9, 0x64, 0xEC, 0x38, 0x43,
        ]
        let secret = withRawSpan(of: key) { key in SecretBytes(copying: key) }
        let isRight = try? callingOpenSSL(mayLeaveReasons: true) { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: secret)
            for round in 0..<2 {
                if round > 0 { try authenticator.begin(key: nil) }
                try authenticator.update(data)
                guard try authenticator.finish(matching: expected.span.bytes) else { return false }
            }
            return true
        }
        return isRight ?? false
    }
}
