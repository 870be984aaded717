import Foundation
import Testing

/// The command is started without some of its standard streams. The next file that is opened must not get their
/// numbers, or messages for the user would be written into it. `closed-streams.txt` has what such a run says.
@Suite struct ClosedStreamTests {
    private let place: Workplace

    init() throws { place = try Workplace(plaintext: "attack at dawn") }

    private static let combinations = (1...7).map { bits in
        ["0<&-", "1>&-", "2>&-"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
            .joined(separator: " ")
    }

    /// Messages for the user go nowhere, least of all into an encrypted file whose source is then removed.
    @Test(arguments: combinations)
    func nothingIsWrittenIntoAMessage(closed: String) throws {
        // The sources are long enough for a failure to be reported while a message is written.
        let sources = (1...8).map { "source-\($0)" }
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        for name in sources { try place.write(bytes, to: name) }
        let names = sources.flatMap { ["missing-\($0)", $0, "nowhere-\($0)"] }.joined(separator: " ")
        let before = try place.names()
        let outcome = try place.shell(
            "$RNCRYPTOR encrypt --suffix .rnc --remove-source --progress --key-file key \(names) \(closed)")
        #expect(outcome.status == 66, "\(closed): \(outcome.complaint)")
        #expect(outcome.output.isEmpty)
        for name in sources {
            try place.succeed("$RNCRYPTOR decrypt --key-file key -o back -f \(name).rnc \(closed)")
            #expect(try place.read("back") == bytes, "\(closed): \(name)")
        }
        try place.succeed("$RNCRYPTOR keygen -o fresh \(closed); $RNCRYPTOR verify -q --key-file key message \(closed)")
        #expect(try place.read("fresh").count == 129)
        let expected = Set(before).subtracting(sources).union(sources.map { $0 + ".rnc" }).union(["back", "fresh"])
        #expect(Set(try place.names()) == expected, "\(closed)")
    }

    /// What replaces a missing stream must not be a folder such as `/`, through which everything else could be reached.
    @Test(arguments: [
        // If it were one, none of these commands would write outside of the test's own folder.
        "verify -r --key-file key /dev/stdin 0<&-", "verify -r --key-file key /dev/fd/1 1>&-",
        "inspect -r /dev/stderr 2>&-", "encrypt --key-file key -o /dev/stdout/HERE/written plaintext 1>&-",
        "decrypt --key-file key -o out /dev/stdin/HERE/message 0<&-",
    ])
    func nothingIsInAMissingStream(words: String) throws {
        let before = try place.names()
        let outcome = try place.shell(
            "timeout -s KILL 20 $RNCRYPTOR \(words.replacing("HERE", with: place.folder.path.dropFirst()))")
        #expect([66, 73, 74].contains(outcome.status), "\(words): \(outcome.status), \(outcome.complaint)")
        #expect(outcome.complaint.split(separator: "\n").count <= 2, "\(words): \(outcome.complaint.prefix(500))")
        #expect(try place.names() == before, "\(words)")
    }

    /// If nothing can be opened in place of a missing stream, the command opens nothing else. It can without /proc.
    @Test(
        .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"),
        arguments: ["0<&-", "1>&-", "2>&-"], [("EIO", 74), ("ENOENT", 0)] as [(String, Int32)])
    func whatCannotBeReplacedEndsIt(closed: String, error: (name: String, status: Int32)) throws {
        let outcome = try place.shell(
            "LD_PRELOAD=\(try Interposer.path("faults")) $RNCRYPTOR encrypt --key-file key -o out plaintext \(closed)",
            environment: ["FAULT": "open:1:\(error.name)", "FAULT_NOTE": "/dev/null"])
        #expect(outcome.status == error.status && place.exists("out") == (error.status == 0), "\(outcome.complaint)")
        let isSaid = error.status != 0 && closed != "2>&-"
        #expect(outcome.complaint.contains("Input/output error") == isSaid, "\(outcome.complaint)")
    }
}
