import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// The promises of `--lines` for each line, and for the stream of lines.
@Suite struct LineTests {
    private let place: Workplace
    private let encrypt = "$RNCRYPTOR encrypt --lines --key-file key"
    private let decrypt = "$RNCRYPTOR decrypt --lines --key-file key"

    init() throws {
        place = try Workplace()
    }

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    // MARK: Records

    /// Lines come out as they went in: empty ones, long ones, and a last one with and without its newline.
    @Test(
        arguments: [
            "", "\n", "a", "a\n", "\n\na\n\nb", "a\r\nb\r\n", "one\ntwo\n\nfour, and a longer one than a block has",
        ],
        ["", "-j 1", "--jobs 7"])
    func whatGoesInComesOut(lines: String, jobs: String) throws {
        try place.write(lines, to: "lines")
        let messages = try place.succeed("\(encrypt) \(jobs) < lines > messages; cat messages")
        let isComplete = lines.isEmpty || lines.utf8.last == 10
        let expected = Data(lines.utf8) + (isComplete ? [] : [10])
        #expect(messages.count { $0 == 10 } == expected.count { $0 == 10 })
        #expect(try place.succeed("\(decrypt) \(jobs) < messages") == expected)
        #expect(try place.succeed("\(decrypt) \(jobs) - < messages") == expected)
    }

    @Test func bytesThatAreNoText() throws {
        let bytes = Data((0..<4).flatMap { _ in (0...255).filter { $0 != 10 }.map(UInt8.init) + [10] })
        try place.write(bytes, to: "lines")
        #expect(try place.succeed("\(encrypt) < lines | \(decrypt)") == bytes)
    }

    /// Each line is a message like any other.
    @Test func aLineIsAMessage() throws {
        try place.succeed("printf 'one\\ntwo\\n' | \(encrypt) > messages")
        try place.succeed("sed -n 2p messages | base64 -d > message")
        #expect(text(try place.succeed("$RNCRYPTOR decrypt --key-file key message")) == "two")
        #expect(text(try place.succeed("sed -n 1p messages | $RNCRYPTOR decrypt --key-file key")) == "one")
        try place.succeed("$RNCRYPTOR encrypt --key-file key --base64 password | tr -d '\\n' > other; echo >> other")
        #expect(try place.succeed("head -n 1 other | $RNCRYPTOR decrypt --key-file key | cmp - password").isEmpty)
        #expect(
            try place.succeed("printf x | $RNCRYPTOR encrypt --key-file key | base64 -w0 | \(decrypt)")
                == Data("x\n".utf8))
    }

    @Test(arguments: ["cat", "sed 's/$/\\r/'", "tr -d '='", "tr '+/' '-_'", "tr '+' ' '"])
    func base64InManyShapes(change: String) throws {
        try place.succeed("seq 100 > lines; \(encrypt) < lines | \(change) | \(decrypt) | cmp - lines")
    }

    @Test(arguments: ["-j 1", "-j 2", "-j 64", ""])
    func manyLinesStayInOrder(jobs: String) throws {
        try place.succeed("seq 20000 > lines; \(encrypt) \(jobs) < lines > messages")
        try place.succeed("\(decrypt) \(jobs) < messages | cmp - lines")
        #expect(
            text(try place.succeed("sort -u messages | wc -l")).trimmingCharacters(in: .whitespacesAndNewlines)
                == "20000")
    }

    @Test func underAPassword() throws {
        let secret = "--password-file password"
        try place.succeed("seq 150 > lines; $RNCRYPTOR encrypt --lines \(secret) < lines > messages")
        try place.succeed("$RNCRYPTOR decrypt --lines \(secret) < messages | cmp - lines")
        let wrong = try place.shell("head -n 3 messages | $RNCRYPTOR decrypt --lines --password-file wrong-password")
        #expect(wrong.status == 65 && wrong.output.isEmpty)
        #expect(wrong.complaint.contains("line 3: The HMAC does not match"), "\(wrong.complaint)")
    }

    @Test func oldVersions() throws {
        let vectors = try VectorFolder.readable().filter {
            $0.version < .v2 && !$0.secret.isPassword && $0.name.hasSuffix("/plaintext-16-bytes.json")
        }
        try #require(vectors.count == 2)
        for vector in vectors {
            guard case .keys(let encryption, let hmac) = vector.secret, !vector.plaintext.contains(10) else { continue }
            try place.write((encryption + hmac).hex, to: "old-key")
            try place.write(Data(vector.message).base64EncodedString() + "\n", to: "messages")
            let command = "$RNCRYPTOR decrypt --lines --key-file old-key < messages"
            let refusal = try place.fail(command, 65, saying: "line 1: The input starts as \(vector.version)")
            #expect(refusal.complaint.contains("hint: --accept v1,v0 reads it"), "\(refusal.complaint)")
            #expect(try place.succeed("\(command) --accept v1,v0") == Data(vector.plaintext + [10]), "\(vector)")
        }
    }

    // MARK: Lines that fail

    @Test(arguments: ["-j 1", "-j 8"])
    func aBadLineIsNamedAndLeftOut(jobs: String) throws {
        try place.succeed("seq 100 | \(encrypt) > messages")
        // Line 17 is altered, 30 is not base64, 31 is empty, 60 is cut off, 61 is under a password, and 90 has two
        // lines in it.
        try place.succeed(
            """
            printf '1\\n2' | $RNCRYPTOR encrypt --key-file key --base64 | tr -d '\\n' > two
            printf x | $RNCRYPTOR encrypt --password-file password --base64 | tr -d '\\n' > password-message
            sed -e '17s/....$/AAA=/' -e '30s/.*/no message!/' -e '31s/.*//' -e '60s/.\\{8\\}$//' \
                -e "61s|.*|$(cat password-message)|" -e "90s|.*|$(cat two)|" messages > damaged
            """)
        let outcome = try place.shell("\(decrypt) \(jobs) < damaged")
        let bad = [17, 30, 31, 60, 61, 90]
        #expect(outcome.status == 65)
        #expect(text(outcome.output) == (1...100).filter { !bad.contains($0) }.map { "\($0)\n" }.joined())
        let complaints = outcome.complaint.split(separator: "\n")
        #expect(complaints.count == bad.count + 1, "\(outcome.complaint)")
        for (number, complaint) in zip(bad, complaints) {
            #expect(complaint.hasPrefix("rncryptor: error: line \(number): "), "\(complaint)")
        }
        #expect(complaints.last == "rncryptor: error: 6 of 100 lines failed, as said above")
        #expect(outcome.complaint.contains("line 90: The plaintext holds a newline"), "\(outcome.complaint)")
    }

    @Test func aLineThatIsTooLong() throws {
        let limit = 16 << 20
        try place.succeed(
            """
            { echo first; head -c \(limit) /dev/zero | tr '\\0' x; echo; head -c \(limit + 1) /dev/zero | tr '\\0' y; echo
              head -c \(2 * limit) /dev/zero | tr '\\0' z; echo; echo last; } > lines
            """)
        let outcome = try place.shell("\(encrypt) < lines > messages")
        #expect(outcome.status == 65)
        let complaints = outcome.complaint.split(separator: "\n")
        #expect(complaints.count == 3, "\(outcome.complaint)")
        for (number, complaint) in zip([3, 4], complaints) {
            #expect(
                complaint.hasPrefix("rncryptor: error: line \(number): It has more than 16777216 bytes."),
                "\(complaint)")
        }
        try place.succeed("sed -e 3,4d lines > expected; \(decrypt) < messages | cmp - expected")
        let long = try place.shell(
            "{ head -c 30000000 /dev/zero | tr '\\0' A; echo; sed -n 1p messages; } | \(decrypt)")
        #expect(long.status == 65 && text(long.output) == "first\n", "\(long.complaint)")
        #expect(long.complaint.contains("line 1: It has more than"), "\(long.complaint)")
    }

    // MARK: The stream

    /// A program that sends a line and waits for its answer gets it, without having to close its end.
    @Test(arguments: [["encrypt"], ["encrypt", "decrypt"]])
    func anAnswerBeforeTheNextLine(subcommands: [String]) throws {
        let filter = subcommands.map { "$RNCRYPTOR \($0) --lines --key-file key" }.joined(separator: " | ")
        let output = try place.succeed(
            """
            mkfifo in out
            timeout 300 sh -c '\(filter)' < in > out &
            exec 3> in 4< out
            for number in 1 2 3; do echo "line $number" >&3; read -r answer <&4; echo "$answer"; done
            exec 3>&-; wait
            """)
        let answers = text(output).split(separator: "\n")
        #expect(answers.count == 3)
        if subcommands.count == 2 { #expect(answers == ["line 1", "line 2", "line 3"]) }
    }

    /// Reading goes on while writing waits, and the other way round.
    @Test func slowPartners() throws {
        try place.succeed("seq 3000 > lines")
        try place.succeed("\(encrypt) < lines | { sleep 1; cat; } | \(decrypt) | { sleep 1; cat; } | cmp - lines")
        try place.succeed("{ head -n 10 lines; sleep 1; tail -n +11 lines; } | \(encrypt) | \(decrypt) | cmp - lines")
    }

    /// Finished lines are not held back by a line that has only begun: its sender may be waiting for the answers before
    /// it.
    @Test(arguments: [
        ("--key-file key", 1), ("--key-file key", 100), ("--password-file password", 1),
        ("--password-file password", 32),
    ])
    func theBeginningOfALine(secret: String, count: Int) throws {
        try place.write("correct horse battery staple", to: "password")
        let answers = try place.succeed(
            """
            chmod 600 password; mkfifo in out
            $RNCRYPTOR encrypt --lines \(secret) < in > out & exec 3> in 4< out
            { for i in $(seq \(count)); do echo line; done; printf 'the next'; } >&3; sleep 0.3; printf ' one' >&3
            timeout 300 sh -c 'for i in $(seq \(count)); do read -r line && echo "$line"; done' <&4 > answers
            wc -l < answers; echo >&3; exec 3>&-; wc -l <&4; wait
            """)
        #expect(text(answers).split(whereSeparator: \.isWhitespace) == ["\(count)", "1"], "\(text(answers))")
    }

    /// Finished lines are not held back by an endless line either. A file always has more to read, where a pipe may run
    /// dry.
    @Test(arguments: ["echo first", "seq 1000"]) func theBeginningOfAnEndlessLine(before: String) throws {
        let answer = try place.succeed(
            """
            \(before) > in; truncate -s 1T in; mkfifo out; \(encrypt) < in > out 2> /dev/null & process=$!
            exec 4< out; timeout 60 head -n 1 <&4 | \(decrypt); exec 4<&-; kill $process 2> /dev/null; wait || true
            """)
        #expect(text(answer) == (before == "echo first" ? "first\n" : "1\n"))
    }

    @Test func anOutputThatIsClosed() throws {
        let outcome = try place.shell("yes | { timeout 300 \(encrypt); echo \"exit $?\" >&2; } | head -n 1 | wc -l")
        #expect(
            outcome.complaint.contains("standard output: It cannot be written: Broken pipe."), "\(outcome.complaint)")
        #expect(outcome.complaint.contains("exit 74"), "\(outcome.complaint)")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aFullDisk() throws {
        try place.fail(
            "seq 10 | \(encrypt) > /dev/full", 74, saying: "standard output: It cannot be written: No space left")
        try place.fail("\(encrypt) < .", 74, saying: "standard input: It cannot be read")
    }

    @Test func interrupted() throws {
        let outcome = try place.shell(
            """
            mkfifo in; timeout 300 \(encrypt) < in > out & process=$!
            exec 3> in; echo one >&3
            while [ ! -s out ]; do sleep 0.05; done
            kill -TERM $process; wait $process; echo "exit $?" >&2
            """)
        #expect(outcome.complaint.contains("exit 143"), "\(outcome.complaint)")
        #expect(try place.read("out").last == 10, "what came out are whole lines")
    }

    @Test func aTerminalGetsTextOnly() throws {
        try place.succeed(
            "printf 'harmless\\n' | \(encrypt) > text; printf 'x\\033]0;y\\007\\n' | \(encrypt) > escapes")
        let terminal = try PseudoTerminal("\(decrypt) < text", in: place.folder)
        #expect(terminal.finish() == 0)
        #expect(terminal.screen == "harmless\r\n")
        try place.succeed("printf 'of Windows\\r\\n' | \(encrypt) > windows")
        let windows = try PseudoTerminal("\(decrypt) < windows", in: place.folder)
        #expect(windows.finish() == 0, "\(windows.screen)")
        #expect(windows.screen.contains("of Windows"))
        let escapes = try PseudoTerminal("\(decrypt) < escapes", in: place.folder)
        #expect(escapes.finish() == 65)
        #expect(
            escapes.screen.hasPrefix("rncryptor: error: line 1: The plaintext is not plain text"), "\(escapes.screen)")
    }

    @Test(arguments: [
        ("encrypt --lines x", "an INPUT is given"), ("decrypt --lines - -", "an INPUT is given"),
        ("encrypt --lines -o x", "exclude each other"), ("decrypt --lines --suffix .rnc", "exclude each other"),
        ("encrypt --lines --base64", "exclude each other"), ("decrypt --lines --force", "exclude each other"),
        ("encrypt --lines --remove-source", "exclude each other"), ("decrypt --lines --progress", "exclude each other"),
        ("encrypt --lines --jobs 0", "a number from 1 to 256"), ("decrypt --lines --accept v9", "takes versions"),
        ("verify --lines", "unknown option"),
    ])
    func misuse(words: String, complaint: String) throws {
        try place.fail("echo x | $RNCRYPTOR \(words) --key-file key", 64, saying: complaint)
    }

    @Test func theSecretCannotComeWithTheLines() throws {
        try place.fail(
            "echo x | $RNCRYPTOR encrypt --lines --password-file -", 64, saying: "standard input is the data")
    }
}
