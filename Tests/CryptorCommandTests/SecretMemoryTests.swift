#if os(Linux)
import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles
@testable import CryptorFormat

/// When the command ends, neither its memory nor the memory that it has freed holds the secret,
/// wherever the secret came from and whether or not the work was done.
@Suite(
    .onItsOwnThread, .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
struct SecretMemoryTests {
    private let place: Workplace
    private let interposer: String
    private let needles: [Needle]
    private let secretRandom: String
    private let generator: SeededGenerator

    init() throws {
        place = try Workplace()
        interposer = try Interposer.path("memory")
        var generator = SeededGenerator()
        self.generator = generator
        let password = generator.bytes(20).hex
        let keys = generator.bytes(64)
        try place.write(password + "\n", toPrivate: "secret")
        try place.write("other \(password)\n", toPrivate: "other")
        try place.write(String(repeating: password, count: 2000), toPrivate: "long-secret")
        try place.write(keys.hex + "\n", toPrivate: "keys")
        try place.write(keys.hex + "00", toPrivate: "long-key")
        try place.write(keys.hex.dropLast() + "\n", toPrivate: "odd-key")
        try place.write(keys.hex + "\nx", toPrivate: "spoilt-key")
        try place.write(String(repeating: "attack at dawn", count: 100_000), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --password-file secret -o message plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file keys -o key-message plaintext")
        // What base64 text of a key's start decodes to before it turns out to be damaged.
        try place.write(Data(keys.prefix(30)).base64EncodedString() + "=A==", toPrivate: "base64")
        let lastBlock = generator.bytes(15)
        try place.write(Data(generator.bytes(16) + lastBlock), to: "short")
        try place.succeed("$RNCRYPTOR encrypt --key-file keys -o short-message short; rm short")
        try place.succeed(
            "printf '%s\\n' one two three | $RNCRYPTOR encrypt --lines --key-file keys > lines")
        var needles = Needle.password(Array(password.utf8))
        // As diagnose tries it.
        needles += Needle.ends("password-in-utf-16", password.utf8.flatMap { [$0, 0] })
        needles += Needle.keys(
            "keys", encryption: Array(keys.prefix(32)), hmac: Array(keys.suffix(32)))
        needles += Needle.ends("last-block", lastBlock + [1])
        let text = Array(keys.hex.utf8)
        let digits = keys.flatMap { [$0 >> 4, $0 & 15] }
        for (name, half) in [("encryption", 0), ("hmac", 64)] {
            needles += Needle.ends("\(name)-key-text", Array(text[half..<half + 64]))
            needles += Needle.ends("\(name)-key-digits", Array(digits[half..<half + 64]))
        }
        let header = try place.read("message").dropFirst(2).prefix(16)
        let derived = try Credential.password(password).keys(
            MessageHeader.Salts(encryption: Array(header.prefix(8)), hmac: Array(header.suffix(8)))
        )
        needles += Needle.keys(
            "derived", encryption: derived.encryptionKey.plain, hmac: derived.hmacKey.plain)
        self.needles = needles
        secretRandom = masked(keys).hex
        try place.write(needles.map { $0.line + "\n" }.joined(), to: "needles")
    }

    /// The environment variables that the search needs.
    private var environment: [String: String] {
        [
            "NEEDLES": place.directory.appendingPathComponent("needles").path,
            "FOUND": place.directory.appendingPathComponent("found").path,
            "SECRET_RANDOM": secretRandom,
            // Otherwise the first call of any function puts the vector registers on the stack, with
            // what is left in them.
            "LD_BIND_NOW": "1",
        ]
    }

    /// The needles that were found in the memory of commands that have ended.
    private func found() throws -> [Substring] {
        let lines = String(decoding: try place.read("found"), as: UTF8.self).split(separator: "\n")
        let scanned = lines.compactMap { $0.hasPrefix("scanned ") ? Int($0.dropFirst(8)) : nil }
        try #require(!scanned.isEmpty && scanned.allSatisfy { $0 > 1 << 20 }, "\(lines)")
        try place.remove("found")
        return lines.filter { !$0.hasPrefix("scanned ") }
    }

    /// Commands and their exit statuses.
    private static let works: [(words: String, status: Int32)] =
        [
            "encrypt --password-file secret -o out plaintext",
            "decrypt --password-file secret < message",
            "decrypt --password-fd 3 message 3< secret",
            "encrypt --key-file - -o out plaintext < keys",
            "decrypt --key-file keys -o out key-message", "decrypt --lines --key-file keys < lines",
            "encrypt --lines --password-file secret < needles",
            "rekey --password-file secret --new-key-file keys -o out message",
            "rekey --key-file keys --new-password-file secret -o out key-message", "keygen -o out",
            "keygen",
        ].map { ($0, 0) }
        + [
            // Also if it fails.
            ("decrypt --key-file keys message", 65), ("decrypt --password-file other message", 77),
            ("verify --password-file secret damaged", 77),
            ("decrypt --key-file long-key key-message", 65),
            ("decrypt --key-file odd-key key-message", 65),
            ("decrypt --key-file spoilt-key key-message", 65),
            ("decrypt --password-file long-secret message", 65),
            ("encrypt --password-file secret -o nowhere/out plaintext", 73),
            ("encrypt --key-file keys -o message plaintext", 73),
            ("rekey --password-file secret --new-key-file odd-key message", 65),
            ("keygen -o keys", 73),
            ("keygen > /dev/full", 74), ("diagnose --password-file secret damaged", 65),
            ("diagnose --key-file keys damaged", 0), ("diagnose --password-file secret message", 1),
            ("diagnose --key-file keys short-message", 1),
            ("diagnose --password-file base64 message", 65),
            // Also if there are several.
            (
                "decrypt --password-file other --key-file keys --password-file secret -o out "
                    + "message",
                0
            ),
            ("decrypt --key-file keys --key-file odd-key key-message", 65),
            ("decrypt --key-file keys --key-file keys key-message", 0),
        ]

    /// A secret whose file cannot be read to its end.
    private static let unreadable = "FAULT=read:2:EIO FAULT_NOTE=/dev/null"

    @Test(
        arguments: works.map { ("", $0.words, $0.status) } + [
            (unreadable, "verify --password-file secret message", 74),
            (unreadable, "verify --key-file keys key-message", 74),
        ])
    func nothingIsLeft(fault: String, words: String, status: Int32) throws {
        try place.succeed("cp message damaged")
        try place.succeed(try place.alteration(of: "damaged", at: 1000))
        let libraries = "LD_PRELOAD='\(try Interposer.path("faults")) \(interposer)'"
        let outcome = try place.shell(
            "\(fault) \(libraries) $RNCRYPTOR \(words)", environment: environment)
        #expect(outcome.status == status, "\(words): \(outcome.complaint)")
        // Under this interposer, the random bytes of a key file are the keys.
        if words == "keygen -o out" { try place.succeed("cmp out keys") }
        let found = try found()
        #expect(found.isEmpty, "\(words), \(generator)")
    }

    /// Nothing is left of a password that is typed twice, the same or not, of one that is too long,
    /// or of what was typed before a signal came.
    @Test(arguments: [("same", Int32(0)), ("different", 64), ("long", 65), ("signal", 143)])
    func nothingIsLeftOfWhatIsTyped(kind: String, status: Int32) throws {
        let variables = environment.map { "\($0)='\($1)'" }.joined(separator: " ")
        let terminal = try PseudoTerminal(
            "sh -c 'echo $$ > process; LD_PRELOAD=\(interposer) \(variables) "
                + "exec \"$0\" encrypt -o out plaintext' $RNCRYPTOR; "
                + "echo status $?", in: place.directory)
        let password = String(decoding: try place.read("secret").dropLast(), as: UTF8.self)
        try terminal.wait(for: "generate one): ")
        switch kind {
        case "long": terminal.type(String(repeating: password, count: 110) + "\n")
        case "signal":
            // Ctrl-D passes on the line as far as it was typed.
            terminal.type("\(password)\u{4}")
            try place.succeed("sleep 0.3; kill -TERM $(cat process)")
        default:
            terminal.type("\(password)\n")
            try terminal.wait(for: "Repeat the password: ")
            terminal.type(kind == "same" ? "\(password)\n" : "not \(password)\n")
        }
        try terminal.wait(for: "status \(status)")
        _ = terminal.finish()
        let found = try found()
        #expect(found.isEmpty, "\(kind), \(generator)")
    }

    /// The search finds a secret that is there: a password in the environment cannot be removed.
    @Test func theSearchFinds() throws {
        let password = String(decoding: try place.read("secret").dropLast(), as: UTF8.self)
        try place.succeed(
            "LD_PRELOAD=\(interposer) $RNCRYPTOR verify -q --password-env PASSWORD message",
            environment: environment.merging(["PASSWORD": password]) { $1 })
        let found = try found().compactMap { $0.split(separator: " ").first }
        #expect(Set(found) == ["password-start", "password-end"], "\(found)")
    }
}
#endif
