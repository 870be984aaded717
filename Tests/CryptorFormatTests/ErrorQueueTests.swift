import CryptorTestSupport
import Testing

/// OpenSSL's queue of error reasons belongs to the program as well.
@Suite struct ErrorQueueTests {
    /// After every kind of work, whether it succeeds or OpenSSL fails, the queue holds the program's own reasons and
    /// marks in their order, and nothing else. No error of the library quotes them.
    @Test func isAsBefore() throws {
        #expect(try ProbeProcess(["error-queue"]).finish() == ["17 operations"])
    }
}
