import CryptorTestSupport
import Testing

/// The library works with an OpenSSL that has a fault of the first versions. `openssl.txt` has
/// OpenSSL with the rules of FIPS 140.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
struct OtherOpenSSLTests {
    /// OpenSSL 3.0.0 to 3.0.2 do not begin a new HMAC under the old key. The library notices that
    /// at the start, and does without.
    @Test(arguments: [("here", true), ("3.0.0", false)])
    func anHMACThatIsNotReset(version: String, isSound: Bool) throws {
        let probe = try ProbeProcess(
            ["reset"],
            environment: ["LD_PRELOAD": try Interposer.path("openssl"), "OPENSSL_AS": version])
        #expect(
            try probe.finish() == ["sound: \(isSound), wrong: [], released: true"], "\(version)")
    }
}
