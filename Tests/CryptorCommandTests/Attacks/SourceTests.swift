import Foundation
import CryptorTestSupport
import Testing

/// --remove-source removes only the very file that was read, and only if its output is a file. Whatever happens
/// meanwhile, no byte of plaintext is lost.
@Suite struct SourceTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("plaintext", to: "a")
    }

    private static let encrypt = "$RNCRYPTOR encrypt --key-file key --remove-source"

    /// Expects the sentence, exit status 74 and a complete output.
    private func keeps(_ script: String, saying words: String, output: String? = "a.rnc") throws {
        let outcome = try place.shell(script)
        #expect(outcome.status == 74, "\(script): \(outcome.complaint)")
        #expect(
            outcome.complaint.contains("Its output is complete. It was not removed: \(words)"), "\(outcome.complaint)")
        if let output { try place.succeed("$RNCRYPTOR verify -q --key-file key \(output)") }
    }

    @Test func neitherLinksNorPipes() throws {
        try place.succeed("mv a file && ln -s file a")
        try keeps("\(Self.encrypt) --suffix .rnc a", saying: "it is a link, or not a regular file")
        #expect(place.exists("a") && place.exists("file"))
        try place.succeed("rm a a.rnc && mkfifo a")
        try keeps("echo hello > a & \(Self.encrypt) --suffix .rnc a", saying: "it is a link, or not a regular file")
        #expect(place.exists("a"))
    }

    /// A source stays if its output is not a file: what was written may be nowhere, or with somebody who does not want
    /// it.
    @Test(arguments: ["/dev/null", "/dev/stdout", "fifo"])
    func outputsThatAreNoFiles(output: String) throws {
        try place.succeed("mkfifo fifo message")
        try keeps(
            """
            cat fifo > /dev/null & reader=$!; cat message > /dev/null & 
            \(Self.encrypt) -o \(output) a > message; status=$?
            kill -KILL $reader; wait; exit $status
            """, saying: "the output is not a regular file", output: nil)
        #expect(try place.read("a") == Data("plaintext".utf8))
    }

    /// Nothing is lost if a log is rotated or written to while it is encrypted.
    @Test func nothingIsLostMeanwhile() throws {
        var generator = SeededGenerator()
        for round in 0..<20 {
            let delay = Double.random(in: 0...0.06, using: &generator)
            let change = round.isMultiple(of: 2) ? "echo line >> log" : "mv log log.1; echo line >> log"
            let outcome = try place.shell(
                """
                rm -f log log.1 log.rnc decrypted && head -c 20000000 /dev/zero > log
                { sleep \(delay); \(change); } 2> /dev/null &
                \(Self.encrypt) --suffix .rnc log; status=$?; wait
                # There is no log for a moment, and nothing to encrypt then.
                [ ! -e log.rnc ] || $RNCRYPTOR decrypt --key-file key -o decrypted log.rnc || exit 1
                tail -qc 5 decrypted log log.1 2> /dev/null | grep -q line || exit 2
                [ $(cat decrypted log log.1 2> /dev/null | wc -c) -ge 20000000 ] || exit 3
                """)
            #expect(outcome.status == 0, "\(change) after \(delay) s, seed \(generator.seed): \(outcome.complaint)")
        }
    }

    /// After an interruption of a stream, the error says that a part of the output may have been seen.
    @Test(arguments: ["", "-o /dev/null"])
    func interruptedInAStream(output: String) throws {
        try place.succeed("truncate -s 200G a")
        let outcome = try place.shell(
            "timeout --preserve-status -s TERM 0.5 $RNCRYPTOR encrypt --key-file key \(output) a > /dev/null")
        #expect(outcome.status == 143, "\(outcome.complaint)")
        #expect(outcome.complaint.contains("a part of the output may have gone to"), "\(outcome.complaint)")
    }
}
