import CryptorTestSupport
import Testing

/// The library works with an OpenSSL that has a fault of the first versions. `openssl.txt` has
/// OpenSSL with the rules of FIPS 140.
@Suite(
    .onItsOwnThread, .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
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

    /// Whatever a program does first with the library, OpenSSL does not clean up at exit, while
    /// other threads may be at work.
    @Test(arguments: [
        "encrypt --key-file key < password", "encrypt --password-file password < key",
        "encrypt --lines --key-file key < password", "keygen", "inspect message",
        "verify --key-file key message", "verify --key-file new-key message",
        "diagnose --key-file new-key message",
        "rekey --key-file key --new-key-file new-key message",
    ])
    func noCleanupAtExit(words: String) throws {
        let place = try Workplace(plaintext: "attack at dawn")
        let run = "LD_PRELOAD=\(try Interposer.path("exit")) $RNCRYPTOR \(words)"
        let outcome = try place.shell(run)
        #expect(!outcome.complaint.contains("cleans up"), "\(words): \(outcome.complaint)")
    }

    /// The interposer sees what it looks for.
    @Test func theProgramsOwnCleanup() throws {
        let program = "import ctypes; ctypes.CDLL('libcrypto.so.3').ERR_set_mark()"
        let place = try Workplace()
        let script = "LD_PRELOAD=\(try Interposer.path("exit")) python3 -c \"\(program)\""
        #expect(try place.shell(script).complaint.contains("cleans up"))
    }
}
