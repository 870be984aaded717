import CryptorTestSupport
import Testing

/// A program may turn FIPS mode on and off at any time.
@Suite struct FIPSSwitchTests {
    /// Algorithms that were looked up before fail in FIPS mode, which has no provider here, and work again after it.
    @Test func nothingGoesOnSilently() throws {
        #expect(try ProbeProcess(["fips-switch"]).finish() == ["17 operations"])
    }
}
