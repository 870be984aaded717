import Foundation
import CryptorTestSupport
import Testing

/// SIGTERM ends the command whatever it waits for, with threads and with none, and the command says what is done.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct StuckTests {
    private let place: Workplace
    private let preload: String

    init() throws {
        place = try Workplace()
        preload = try Interposer.build("threads", in: place)
        try place.succeed("mkfifo one two three out")
    }

    /// Starts the command with `words`, sends SIGTERM once `isReady` is true, and waits for the end.
    /// - Parameters:
    ///   - held: FIFOs whose other ends nobody uses.
    ///   - isReady: a condition of `sh` that must hold before long.
    private func terminate(
        _ words: String, holding held: [String], once isReady: String, threads: Int
    ) throws -> Workplace.Outcome {
        let opening = held.enumerated().map { "exec \($0.offset + 3)<> \($0.element)" }.joined(separator: "; ")
        let outcome = try place.shell(
            """
            \(opening)
            timeout -s KILL 300 sh -c 'echo $$ > process; exec env LD_PRELOAD="\(preload)" $RNCRYPTOR \(words)' &
            until test -s process && \(isReady); do sleep 0.1; done
            sleep 0.5
            kill -TERM $(cat process)
            wait $!
            """, environment: ["THREADS": "\(threads)"])
        #expect(outcome.status == 143, "\(words): \(outcome.status), \(outcome.complaint)")
        return outcome
    }

    /// SIGTERM ends the wait for lines that do not come.
    @Test(arguments: [0, 100]) func linesThatDoNotCome(threads: Int) throws {
        let outcome = try terminate(
            "encrypt --lines --key-file key < one > got", holding: ["one"], once: "echo x >&3; test -s got",
            threads: threads)
        #expect(outcome.complaint.contains("rncryptor: error: interrupted; "), "\(outcome.complaint)")
        #expect(outcome.complaint.contains(" lines are done"), "\(outcome.complaint)")
    }

    /// SIGTERM ends the command while nobody takes what it writes, and the memory for that is full.
    @Test(arguments: [0, 100]) func linesThatNobodyTakes(threads: Int) throws {
        try place.succeed("seq 300000 > lines")
        let outcome = try terminate(
            "encrypt --lines --key-file key < lines > out", holding: ["out"], once: "sleep 1", threads: threads)
        #expect(outcome.complaint.contains("rncryptor: error: interrupted; "), "\(outcome.complaint)")
    }

    /// The command waits for an input that does not come. The error says how many files are done, and where it stopped.
    @Test(arguments: [0, 100]) func severalFiles(threads: Int) throws {
        try place.write("this is a", to: "a")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o a.rnc a")
        let outcome = try terminate(
            "verify --key-file key a.rnc one two three > got", holding: ["one", "two", "three"],
            once: "test -s got", threads: threads)
        #expect(
            outcome.complaint
                == "rncryptor: error: interrupted; nothing was left behind. 1 of 4 files are done; one is "
                + "the first that was not reached.\n")
    }

    /// An output that somebody may have read is reported, even if its name has been removed since.
    @Test(arguments: [
        "encrypt --key-file key -o out a",
        "decrypt --key-file key -o out a.message", "rekey --key-file key --new-key-file key -o out a.message",
    ])
    func streamsWhoseNameIsGone(words: String) throws {
        try place.succeed("head -c 3000000 /dev/zero > a; cp a b; $RNCRYPTOR encrypt --key-file key -o a.message a")
        let outcome = try terminate(
            words, holding: ["out"], once: "sleep 1 && rm -f out", threads: 100)
        #expect(outcome.complaint.contains("a part of the output may have gone to out"), "\(outcome.complaint)")
        #expect(!outcome.complaint.contains("nothing was left"), "\(outcome.complaint)")
    }

    @Test(arguments: [0, 100]) func oneFile(threads: Int) throws {
        let outcome = try terminate(
            "encrypt --key-file key -o message one", holding: ["one"], once: "head -c 3000000 /dev/zero >&3",
            threads: threads)
        #expect(outcome.complaint == "rncryptor: error: interrupted; nothing was left behind\n")
        #expect(!place.exists("message"))
    }
}
