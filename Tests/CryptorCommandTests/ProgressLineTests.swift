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

    /// How much is left is known only if all files have a length: a pipe has none.
    @Test func aPipeAmongFiles() throws {
        try place.write(Data(count: 600_000), to: "plaintext")
        let last = "$(tr '\\r' '\\n' < shown | tail -n 1)"
        let text = try shown(
            """
            $RNCRYPTOR encrypt --key-file key -o message plaintext; mkfifo pipe
            printf '\\003\\000' > large; truncate -s $(((1 << 40) + 2)) large
            $RNCRYPTOR verify --progress -j2 --key-file key large pipe 2> shown & process=$!
            exec 3> pipe
            \(wait) grep -q left shown && break; sleep 0.1; done
            head -c 590000 message >&3
            \(wait) case "\(last)" in *%*) ;; */s*) echo "\(last)" > last; break;; esac; sleep 0.1; done
            kill $process; wait $process
            """)
        #expect(text.contains("0 %, "), "\(text)")
        #expect(place.exists("last"), "with a pipe that is read there is no percentage: \(text.suffix(200))")
    }
}
