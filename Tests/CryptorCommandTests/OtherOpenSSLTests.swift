import Foundation
import CryptorTestSupport
import Testing

/// The command runs with an OpenSSL other than this system's: with a fault of the first versions, or with the rules of
/// FIPS 140.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct OtherOpenSSLTests {
    /// OpenSSL 3.0.0 to 3.0.2 do not begin a new HMAC under the old key. The library notices that at the start, and
    /// does without.
    @Test(arguments: [("here", true), ("3.0.0", false)])
    func anHMACThatIsNotReset(version: String, isSound: Bool) throws {
        let probe = try ProbeProcess(
            ["reset"], environment: ["LD_PRELOAD": try Interposer.path("openssl"), "OPENSSL_AS": version])
        #expect(try probe.finish() == ["sound: \(isSound), wrong: [], released: true"], "\(version)")
    }

    @Test func saltsThatAreTooShortForFIPS() throws {
        let place = try Workplace(plaintext: "attack at dawn")
        // Whatever is asked for, the lanes derive no keys then.
        let environment = [
            "LD_PRELOAD": try Interposer.path("openssl"), "OPENSSL_AS": "fips", "CRYPTORFORMAT_OPENSSL_KDF": "0",
        ]
        try place.succeed("$RNCRYPTOR encrypt --password-file password -f -o message plaintext")
        let before = try place.names()
        for words in ["encrypt --password-file password -o out plaintext", "decrypt --password-file password message"] {
            try place.fail(
                "$RNCRYPTOR \(words)", 70, saying: "invalid salt length",
                environment: environment)
        }
        #expect(try place.names() == before)
        // With keys there are no salts.
        try place.succeed(
            "$RNCRYPTOR encrypt --key-file key plaintext | $RNCRYPTOR decrypt --key-file key | cmp - plaintext",
            environment: environment)
    }
}
