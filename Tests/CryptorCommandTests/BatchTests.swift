import Foundation
import Testing

/// Several files in one call, base64, --force and --remove-source.
@Suite struct BatchTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        for name in ["a", "b", "c"] { try place.write("this is \(name)", to: name) }
    }

    @Test(arguments: ["", "--jobs 1", "--jobs 2", "-j64"])
    func besideEachInput(jobs: String) throws {
        try place.succeed("$RNCRYPTOR encrypt --key-file key --suffix .rnc \(jobs) a b c")
        try place.succeed("rm a b c && $RNCRYPTOR decrypt --key-file key --suffix .rnc \(jobs) a.rnc b.rnc c.rnc")
        for name in ["a", "b", "c"] { #expect(try place.read(name) == Data("this is \(name)".utf8)) }
    }

    @Test func aFailureStopsNobodyElse() throws {
        try place.write("taken", to: "b.rnc")
        let outcome = try place.shell("$RNCRYPTOR encrypt --key-file key --suffix .rnc a b nowhere c")
        #expect(outcome.status == 73, "the first failure in the order of the inputs")
        #expect(outcome.complaint.contains("b.rnc: It exists"))
        #expect(outcome.complaint.contains("hint: --force overwrites it."))
        #expect(outcome.complaint.contains("nowhere: It cannot be opened"))
        #expect(outcome.complaint.contains("2 of 4 files failed"))
        try place.succeed("$RNCRYPTOR verify -q --key-file key a.rnc c.rnc")
        #expect(try place.read("b.rnc") == Data("taken".utf8))
        try place.succeed("$RNCRYPTOR encrypt --force --key-file key --suffix .rnc a b c")
        try place.succeed("$RNCRYPTOR verify -q --key-file key a.rnc b.rnc c.rnc")
    }

    /// Keys are derived from a password for several files at a time. Each file gets its own keys, whatever its
    /// neighbours are.
    @Test(arguments: ["-j 1", "-j 2", "-j 64", ""])
    func manyFilesUnderOnePassword(jobs: String) throws {
        let secret = "--password-file password \(jobs) --suffix .rnc"
        let names = (1...11).map { "file \($0)" }
        for name in names { try place.write("this is \(name)", to: name) }
        let files = names.map { "'\($0)'" }.joined(separator: " ")
        let messages = names.map { "'\($0).rnc'" }.joined(separator: " ")

        try place.write("taken", to: "file 3.rnc")
        let encrypting = try place.shell("$RNCRYPTOR encrypt \(secret) \(files) nowhere")
        #expect(encrypting.status == 73 && encrypting.complaint.contains("2 of 12 files failed"))
        let starts = try names.filter { $0 != "file 3" }.map { try place.read("\($0).rnc").prefix(18) }
        #expect(Set(starts).count == 10, "salts of its own in each")

        // File 5 is altered, file 3 is not a message, file 7 has other keys, and file 8 is base64 text.
        try place.succeed(place.alteration(of: "file 5.rnc", at: 50))
        try place.succeed("$RNCRYPTOR encrypt -f --key-file key -o 'file 7.rnc' a")
        try place.succeed("base64 'file 8.rnc' > text && mv text 'file 8.rnc'")
        let verifying = try place.shell("$RNCRYPTOR verify --password-file password \(jobs) \(messages)")
        #expect(verifying.status == 65 && verifying.complaint.contains("3 of 11 files failed"))
        for name in ["file 1", "file 8", "file 11"] {
            let line = "\(name).rnc: authentic, \("this is \(name)".utf8.count) bytes of plaintext\n"
            #expect(String(decoding: verifying.output, as: UTF8.self).contains(line), "\(name)")
        }

        try place.succeed("rm \(files)")
        let decrypting = try place.shell("$RNCRYPTOR decrypt \(secret) \(messages)")
        #expect(decrypting.status == 65 && decrypting.complaint.contains("3 of 11 files failed"))
        #expect(decrypting.complaint.contains("file 5.rnc: The HMAC does not match"), "\(decrypting.complaint)")
        for name in names {
            let expected = ["file 3", "file 5", "file 7"].contains(name) ? nil : Data("this is \(name)".utf8)
            #expect((try? place.read(name)) == expected, "\(name)")
        }
    }

    /// A FIFO is opened when its turn comes and not before, or its writer would wait in vain.
    @Test func fifosInTheirTurn() throws {
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o a.rnc a; mkfifo one two")
        let output = try place.succeed(
            """
            timeout 300 sh -c 'cat a.rnc > one; cat a.rnc > two' &
            timeout 300 $RNCRYPTOR verify -j 1 --password-file password a.rnc one a.rnc two
            """)
        #expect(String(decoding: output, as: UTF8.self).split(separator: "\n").count == 4)
    }

    @Test func sourcesAreRemovedOnceTheirOutputsAreThere() throws {
        try place.write("taken", to: "b.rnc")
        let outcome = try place.shell("$RNCRYPTOR encrypt --remove-source --key-file key --suffix .rnc a b c")
        #expect(outcome.status == 73)
        #expect(try place.names().filter { $0.count <= 5 } == ["a.rnc", "b", "b.rnc", "c.rnc", "key"])
        try place.succeed("$RNCRYPTOR decrypt --remove-source --key-file key -o a a.rnc")
        #expect(try place.read("a") == Data("this is a".utf8))
        #expect(!place.exists("a.rnc"))
        let altered = try place.shell("printf x >> c.rnc; $RNCRYPTOR decrypt --remove-source --key-file key -o c c.rnc")
        #expect(altered.status == 65)
        #expect(place.exists("c.rnc") && !place.exists("c"))
    }

    @Test(arguments: [
        ("encrypt a b", "there are 2 inputs and one output"),
        ("encrypt -o x a b", "there are 2 inputs and one output"),
        ("encrypt --suffix .rnc -o x a", "exclude each other"),
        ("encrypt --suffix .rnc", "standard input has none"),
        ("encrypt --suffix '' a", "the end of a name"),
        ("encrypt --suffix /x a", "the end of a name"),
        ("encrypt --remove-source a", "needs files"),
        ("encrypt --remove-source -o -  a", "needs files"),
        ("encrypt --suffix .rnc --jobs 0 a b", "a number from 1 to 256"),
        ("decrypt --suffix .rnc a", "Its name does not end in '.rnc'"),
        ("verify", "no FILE is given"),
        ("inspect", "no FILE is given"),
        ("keygen a", "takes no operands"),
    ])
    func misuse(words: String, complaint: String) throws {
        let secret = words.hasPrefix("inspect") || words.hasPrefix("keygen") ? "" : "--key-file key"
        try place.fail("$RNCRYPTOR \(words) \(secret)", 64, saying: complaint)
        #expect(try place.names() == ["a", "b", "c", "key", "password", "wrong-password"])
    }

    // MARK: base64

    /// Base64 text is read in all the shapes that people give it.
    @Test(arguments: [
        "cat", "tr -d '\\n'", "sed 's/$/\\r/'", "tr -d '=\\n'", "tr '+/' '-_'", "tr '+' ' '",
        "tr -d '\\n' | tr '+' ' '",
        "fold -w 20", "sed 's/^/  /; s/+/-/g'",
    ])
    func base64InManyShapes(change: String) throws {
        try place.succeed("head -c 100000 /dev/urandom > random")
        try place.succeed("$RNCRYPTOR encrypt --base64 --key-file key random | \(change) > text")
        try place.succeed("$RNCRYPTOR decrypt --key-file key -o out text && cmp out random")
        try place.succeed("$RNCRYPTOR decrypt --key-file key < text | cmp - random")
        try place.succeed("cat text | $RNCRYPTOR decrypt --key-file key | cmp - random")
        try place.succeed("$RNCRYPTOR verify -q --key-file key text")
    }

    @Test func base64IsWhatOthersWrite() throws {
        try place.succeed("$RNCRYPTOR encrypt --base64 --key-file key a > text")
        try place.succeed("base64 -d text > message && base64 message | cmp - text")
        #expect(try place.succeed("$RNCRYPTOR decrypt --key-file key message") == Data("this is a".utf8))
    }
}
