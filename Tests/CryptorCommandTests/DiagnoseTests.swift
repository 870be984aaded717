import CryptorTestSupport
import Foundation
import Testing

/// `rncryptor diagnose` as a process. `diagnose.txt` has what people read, and `DiagnoserTests`
/// what is found.
@Suite(.onItsOwnThread) struct DiagnoseTests {
    /// SIGTERM ends the search for a mistake in a large file at once. If it does not, the command
    /// is killed, and the status is 137.
    @Test(arguments: sample(8, of: LargeContents.all)) func endsWhenAsked(contents: LargeContents)
        throws
    {
        let place = try Workplace()
        try place.write(contents.bytes(64 * 1024 * 1024), to: "large")
        // On a busy machine, the command may need more than a second until it sees signals.
        var outcome = Workplace.Outcome(status: 143, output: Data(), complaint: "")
        for seconds in [1, 10]
        where outcome.status == 143 && !outcome.complaint.contains("interrupted") {
            outcome = try place.shell(
                """
                timeout --foreground --preserve-status -s TERM -k 60 \(seconds) \
                    $RNCRYPTOR diagnose --password-file password large
                """)
        }
        // What is found at once is told at once.
        #expect([0, 65, 143].contains(outcome.status), "\(outcome.status)")
        #expect(outcome.status != 143 || outcome.complaint.contains("interrupted"))
    }
}
