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

    @Test func theFileThatWasRead() throws {
        try place.succeed("\(Self.encrypt) --suffix .rnc a && [ ! -e a ]")
        try place.succeed("$RNCRYPTOR decrypt --key-file key --remove-source --suffix .rnc a.rnc && [ ! -e a.rnc ]")
        #expect(try place.read("a") == Data("plaintext".utf8))
    }

    @Test func neitherLinksNorPipes() throws {
        try place.succeed("mv a file && ln -s file a")
        try keeps("\(Self.encrypt) --suffix .rnc a", saying: "it is a link, or not a regular file")
        #expect(place.exists("a") && place.exists("file"))
        try place.succeed("rm a a.rnc && mkfifo a")
        try keeps("echo hello > a & \(Self.encrypt) --suffix .rnc a", saying: "it is a link, or not a regular file")
        #expect(place.exists("a"))
    }

    @Test func noneWithAnotherName() throws {
        try place.succeed("ln a b")
        try keeps("\(Self.encrypt) --suffix .rnc a", saying: "it has 2 names (hard links)")
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

    // MARK: A run as a whole

    /// A file with the secret is refused as an input, even if it is only read: a message would be taken for its own
    /// password.
    @Test(arguments: [
        "verify --key-file key message key", "verify --key-file key same-key", "verify --password-file message message",
        "verify --password-file - /dev/stdin < message", "verify --password-file /dev/stdin /dev/fd/0 < message",
        "verify --password-fd 0 /dev/stdin < message", "decrypt --password-file - /dev/stdin < message",
    ])
    func secretsAmongWhatIsRead(words: String) throws {
        try place.succeed("ln key same-key; echo x > x; $RNCRYPTOR encrypt --key-file key -o message x")
        try place.fail("$RNCRYPTOR \(words)", 64, saying: "It holds the password or the keys, and is among the inputs")
        guard words.hasSuffix("< message") else { return }
        try place.fail(
            "cat message | $RNCRYPTOR \(words.dropLast(9))", 64,
            saying: "It holds the password or the keys, and is among the inputs")
    }

    /// Each of these is refused before anything is written.
    @Test(arguments: [
        ("encrypt --suffix .rnc --force a a.rnc", "would take the place of the input a.rnc"),
        ("encrypt --suffix .rnc --force ./a.rnc a", "would take the place of the input ./a.rnc"),
        ("decrypt --suffix .rnc --force x.rnc x.rnc.rnc", "would take the place of the input x.rnc"),
        ("encrypt --suffix .rnc a ./a", "would be the output for"),
        ("encrypt --suffix .rnc a linked/a", "would be the output for"),
        ("encrypt --suffix .rnc a key", "key: It holds the password or the keys, and is among the inputs"),
        ("encrypt --suffix .rnc a same-key", "is among the inputs"),
        ("encrypt --force -o key a", "key: It holds the password or the keys, and would be written over"),
        ("encrypt --force -o same-key a", "would be written over"),
        ("encrypt --suffix .out --force a l", "l.out: It is a symbolic link to a file that does not exist"),
        ("encrypt --suffix .out --force a a.out", "would take the place of the input a.out"),
        ("encrypt --force --suffix y a ke", "key: It holds the password or the keys, and would be written over"),
    ])
    func refusedAsAWhole(words: String, sentence: String) throws {
        try place.succeed(
            """
            echo b > a.rnc && echo x > x.rnc && echo y > x.rnc.rnc && ln -s . linked && ln key same-key && echo k > ke
            echo l > l && ln -s a.out l.out
            cp -r . ../before-$$ && mv ../before-$$ .before
            """)
        for flags in ["", "--remove-source", "--remove-source -j 2"] {
            let subcommand = words.prefix { $0 != " " }
            let rest = words.dropFirst(subcommand.count)
            try place.fail("$RNCRYPTOR \(subcommand) --key-file key \(flags)\(rest)", 64, saying: sentence)
            try place.succeed("diff -r --no-dereference --exclude .before . .before")
        }
    }

    /// Files from a redirection are checked as well.
    @Test(
        arguments: [
            ("echo r | $RNCRYPTOR encrypt --lines --key-file key >> key", 64, "key"),
            ("$RNCRYPTOR encrypt --lines --key-file key < a >> a", 73, "It is both the source and the destination"),
            ("$RNCRYPTOR encrypt --key-file key < a >> a", 73, "It is both the source and the destination"),
            ("echo data | $RNCRYPTOR encrypt --password-file - -o out /dev/stdin", 64, "It holds the password"),
            ("cat a | $RNCRYPTOR encrypt --password-fd 3 -o out /dev/fd/3 3<&0", 64, "It holds the password"),
            ("$RNCRYPTOR rekey --key-file key --new-key-file new -o link message", 73, "It is both the source and"),
            (
                "$RNCRYPTOR rekey --key-file key --new-key-file new -f -o ./message message", 73,
                "It is both the source and"
            ),
            ("mkfifo fifo && $RNCRYPTOR encrypt --key-file key -o fifo fifo", 73, "It is both the source and"),
        ] as [(String, Int32, String)])
    func redirections(script: String, status: Int32, sentence: String) throws {
        try place.succeed("cp key new && $RNCRYPTOR encrypt --key-file key -o message a && ln -s message link")
        let before = try place.names().map { try place.read($0) }
        try place.fail(script, status, saying: sentence)
        try place.succeed("rm -f fifo")
        #expect(try place.names().map { try place.read($0) } == before, "\(script)")
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

    /// A file with the secret is not overwritten or encrypted, even if it comes as an open descriptor.
    @Test(arguments: [
        "encrypt --key-file - -f -o key a < key", "encrypt --key-file - --suffix .rnc key < key",
        "encrypt --password-fd 3 --suffix .rnc password 3< password",
        "rekey --key-file key --new-key-file new-key -f -o new-key message",
        "rekey --key-file key --new-key-file new-key new-key",
    ])
    func secretsAreSafe(words: String) throws {
        try place.succeed("cp key new-key && $RNCRYPTOR encrypt --key-file key -o message a")
        let before = try place.names().map { try place.read($0) }
        try place.fail("$RNCRYPTOR \(words)", 64, saying: "It holds the password or the keys")
        #expect(try place.names().map { try place.read($0) } == before, "\(words)")
    }
}
