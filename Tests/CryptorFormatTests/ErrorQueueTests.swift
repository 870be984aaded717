import CryptorTestSupport
import Testing

/// OpenSSL's queue of reasons is the program's as well.
@Suite struct ErrorQueueTests {
    /// Every kind of work, as it succeeds and as OpenSSL fails, with reasons and marks of the program in the queue: they are
    /// there afterwards, in their order and alone, and no error of the library quotes them.
    @Test func isAsBefore() throws {
        #expect(try ProbeProcess(["error-queue"]).finish() == ["17 operations"])
    }
}
