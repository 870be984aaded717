import CryptorTestSupport
import Foundation
import Testing

/// A write that fails is an error, and no signal to the program, on whatever thread it is called.
@Suite(.unlessItHangs) struct SignalTests {
    #if os(Linux)
    @Test func aReaderThatIsGoneAndALimit() throws {
        let directory = try TemporaryDirectory()
        #expect(
            try ProbeProcess(["signals", directory.path]).finish() == [
                "pipe: \(EPIPE)", "reader goes: \(EPIPE)", "socket: \(EPIPE)", "decrypt: \(EPIPE)",
                "pipe, one pending: \(EPIPE)", "pending: true", "file: \(EFBIG)",
                "open file: \(EFBIG)",
                "spool: \(EFBIG)", "pending: false",
            ])
    }
    #endif
}
