import CryptorTestSupport
import Testing

/// A program may turn FIPS mode on and off at any time.
@Suite struct FIPSSwitchTests {
    /// What was looked up before does not go on in FIPS mode, in which there is no provider here, and works again after it.
    @Test func nothingGoesOnSilently() throws {
        #expect(try ProbeProcess(["fips-switch"]).finish() == ["17 operations"])
    }
}
