import Foundation
import Testing

/// The text of the progress line. The files are nothing but holes, so large that the line is read before the work is
/// done.
@Suite struct ProgressLineTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
    }

    private let wait = "for round in $(seq 3000); do"

    private func shown(_ script: String) throws -> String {
        let outcome = try place.shell(script)
        #expect(outcome.status == 143, "\(outcome.complaint)")
        return String(decoding: try place.read("shown"), as: UTF8.self)
    }

    /// 1,024 of a unit are one of the next.
    @Test(arguments: [("1T", "1.0 TiB"), ("1023G", "1023.0 GiB"), ("1843G", "1.7 TiB")])
    func amounts(size: String, amount: String) throws {
        let text = try shown(
            """
            truncate -s \(size) large
            $RNCRYPTOR encrypt --progress --key-file key -o /dev/null large 2> shown & process=$!
            \(wait) grep -q left shown && break; sleep 0.1; done; kill $process; wait $process
            """)
        #expect(text.contains(" of \(amount), "), "\(text)")
        // At least a minute is left for this much work.
        #expect(text.contains(/, [1-9][0-9]*:[0-9][0-9] left/), "\(text)")
    }
}
