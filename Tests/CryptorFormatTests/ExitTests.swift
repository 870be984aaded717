import CryptorTestSupport
import Foundation
import Testing

/// A program may exit at any moment, with its own exit status, whatever the library is doing on
/// other threads.
@Suite(.unlessItHangs) struct ExitTests {
    /// OpenSSL's cleanup at exit, which would run under the threads, ended about one of twenty such
    /// programs by a signal.
    @Test func whileEverythingIsUnderWay() throws {
        var generator = SeededGenerator()
        for run in 0..<150 {
            let microseconds = Int.random(in: 500..<30_000, using: &generator)
            #expect(throws: Never.self, "run \(run), exit after \(microseconds) µs, \(generator)") {
                try ProbeProcess(["exit", "library", "\(microseconds)"]).finish()
            }
        }
    }
}
