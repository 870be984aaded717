import Foundation
import CryptorTestSupport
import Testing

/// SIGTERM and SIGALRM end the command whatever it waits for, with threads and with none, and the
/// command says what is done.
@Suite(
    .onItsOwnThread, .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
struct StuckTests {
    /// What the command waits for, a condition of `sh` that must hold before long, and what the
    /// command says then. Nobody uses the other ends of the FIFOs `one` (descriptor 3) and `two`
    /// (descriptor 4).
    private static let waits = [
        // Input that does not come.
        (
            "encrypt --lines --key-file key < one > got",
            "{ test -e sent || { echo x >&3; : > sent; }; }; test -s got",
            "interrupted; 1 line done, and perhaps part of the next one\n"
        ),
        (
            "verify --key-file key message one two > got", "test -s got",
            "interrupted; nothing was left behind. 1 of 3 files done; the next is one.\n"
        ),
        (
            "encrypt --key-file key -o out one", "head -c 3000000 /dev/zero >&3",
            "interrupted; nothing was left behind\n"
        ),
        // Output that nobody takes. Somebody may have read a part of it, even if its name has been
        // removed since.
        ("encrypt --lines --key-file key < lines > two", "head -c 1 <&4 > taken", "interrupted; "),
        (
            "encrypt --key-file key -o two large", "head -c 1 <&4 > taken; rm -f two",
            "part of the output may have been written to two"
        ),
        (
            "decrypt --key-file key -o two sealed", "head -c 1 <&4 > taken; rm -f two",
            "part of the output may have been written to two"
        ),
        (
            "rekey --key-file key --new-key-file key -o two sealed",
            "head -c 1 <&4 > taken; rm -f two",
            "part of the output may have been written to two"
        ),
        (
            "encrypt --key-file key endless > /dev/null", "sleep 0.5",
            "part of the output may have been written to"
        ),
        (
            "encrypt --key-file key -o /dev/null endless", "sleep 0.5",
            "part of the output may have been written to"
        ),
    ]

    @Test(arguments: waits, [(0, SIGTERM), (100, SIGTERM), (100, SIGALRM)])
    func ends(
        wait: (words: String, condition: String, sentence: String),
        how: (threads: Int, signal: Int32)
    ) throws {
        let place = try Workplace(plaintext: "attack at dawn")
        try place.succeed(
            """
            mkfifo one two; truncate -s 200G endless; seq 300000 > lines
            head -c 3000000 /dev/zero > large; $RNCRYPTOR encrypt --key-file key -o sealed large
            """)
        let outcome = try place.shell(
            """
            exec 3<> one 4<> two
            threads='\(try Interposer.path("threads"))'; export threads
            timeout -s KILL 300 sh -c 'echo $$ > process; exec env LD_PRELOAD="$threads" \
                $RNCRYPTOR \(wait.words)' &
            until test -s process && { \(wait.condition); }; do sleep 0.1; done
            sleep 0.5
            kill -\(how.signal) $(cat process)
            wait $!
            """, environment: ["THREADS": "\(how.threads)"])
        #expect(
            outcome.status == 128 + how.signal,
            "\(wait.words): \(outcome.status), \(outcome.complaint)")
        #expect(
            outcome.complaint.hasPrefix("rncryptor: error: interrupted; "), "\(outcome.complaint)")
        #expect(outcome.complaint.contains(wait.sentence), "\(wait.words): \(outcome.complaint)")
        #expect(!place.exists("out"))
    }
}
