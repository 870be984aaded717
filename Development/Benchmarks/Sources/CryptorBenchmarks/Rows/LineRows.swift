import Foundation

/// One message per line, with keys, from a file in memory to nowhere.
enum LineRows {
    /// The first argument that makes this program run as the plain C program.
    static let plainProgram = "plain-lines"

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let verbs = ["encrypt", "decrypt"]
        func row(
            _ name: String, target: Double = 0.8, _ makeRace: @escaping () throws -> Race
        ) -> Benchmark {
            .race(
                .lines, "rncryptor \(name)", target: target, rounds: setting.fileRounds, makeRace)
        }
        return [64, 1024].flatMap { byteCount in
            verbs.map { verb in
                row("\(verb) --lines, \(Figures.binary(byteCount)) each") {
                    try withKeys(verb, Lines.text(byteCount), setting)
                }
            }
        }
            + [("base64", Lines.text(64)), ("hex", Lines.digits(48))].flatMap { form, line in
                verbs.map { verb in
                    row("\(verb) --lines --plaintext \(form), 48 bytes each") {
                        try withKeys(verb, line, plaintext: form, setting)
                    }
                }
            }
            + verbs.map { verb in
                row("\(verb) --lines --json, 64 bytes each", target: 0.5) {
                    try withKeys(verb, Lines.text(64), json: true, setting)
                }
            }
            + verbs.map { verb in
                row("\(verb) --lines under a password, 64 B each") {
                    try underAPassword(verb, setting)
                }
            }
            + [("encrypt --fresh-salts", 1), ("rekey", 2), ("rekey --fresh-salts", 3)].map {
                verb, count in
                row("\(verb) --lines, each with salts of its own", target: 1 / 1.3) {
                    try withSaltsOfTheirOwn(verb, derivations: count, setting)
                }
            }
    }

    /// With `json`, ours reads and writes JSON strings. The C program has the same lines as text.
    private static func withKeys(
        _ verb: String, _ line: [UInt8], plaintext form: String = "text", json: Bool = false,
        _ setting: Setting
    ) throws -> Race {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let lines = try Lines(of: line, total: setting.some(64 << 20), setting)
        let option = "--key-file"
        let key = try lines.files.keyFile()
        let text = lines.files.place.fresh("text")
        let checked = lines.files.place.fresh("checked")
        let options = "--plaintext \(form)"
        try lines.rncryptor("encrypt \(options)", option, key, from: lines.plaintext, to: text)
        try Tool.shell(
            "\"$0\" \(plainProgram) decrypt \(form) < \"$1\" > \"$2\"", program, text, checked)
        try check(
            lines.files.isSame(checked, lines.plaintext), "the C program's is not the plaintext")
        try lines.rncryptor("decrypt \(options)", option, key, from: text, to: checked)
        try check(lines.files.isSame(checked, lines.plaintext), "it is not the plaintext")
        let input = verb == "encrypt" ? lines.plaintext : text
        var ourVerb = "\(verb) \(options)"
        var ourInput = input
        if json {
            ourVerb += " --json"
            ourInput = lines.files.place.fresh("quoted")
            try Tool.shell("sed 's/.*/\"&\"/' < \"$0\" > \"$1\"", input, ourInput)
        }
        return Race(
            unit: .throughput(byteCount: lines.byteCount),
            ours: Contender(name: "rncryptor --lines") { [ourVerb, ourInput] in
                try lines.rncryptor(ourVerb, option, key, from: ourInput)
            },
            limits: [
                Contender(name: "a C program") {
                    try Tool.shell(
                        "exec \"$0\" \(plainProgram) \(verb) \(form) < \"$1\" > /dev/null", program,
                        input)
                }
            ])
    }

    private static func underAPassword(_ verb: String, _ setting: Setting) throws -> Race {
        let lines = try Lines(of: Lines.text(64), total: setting.some(16 << 20), setting)
        let password = try lines.files.place.create(
            Array("correct horse battery staple".utf8), to: "password")
        let secrets = [("--password-file", password), ("--key-file", try lines.files.keyFile())]
        let contenders = try secrets.map { option, secret in
            let text = lines.files.place.fresh("text\(option)")
            try lines.rncryptor("encrypt", option, secret, from: lines.plaintext, to: text)
            let input = verb == "encrypt" ? lines.plaintext : text
            return Contender(name: option) {
                try lines.rncryptor(verb, option, secret, from: input)
            }
        }
        return Race(
            unit: .throughput(byteCount: lines.byteCount), ours: contenders[0],
            limits: [contenders[1]])
    }

    /// Beside decrypting once for each derivation that a line needs.
    private static func withSaltsOfTheirOwn(
        _ verb: String, derivations: Int, _ setting: Setting
    ) throws -> Race {
        let count = setting.some(1000)
        let lines = try Lines(of: Lines.text(64), total: 65 * count, setting)
        let option = "--password-file"
        let old = try lines.files.place.create(Array("old password".utf8), to: "old")
        let new = try lines.files.place.create(Array("new password".utf8), to: "new")
        let text = lines.files.place.fresh("text")
        try lines.rncryptor("encrypt --fresh-salts", option, old, from: lines.plaintext, to: text)
        let isRekeying = verb.hasPrefix("rekey")
        let ourVerb = isRekeying ? "\(verb) --new-password-file '\(new)'" : verb
        return Race(
            unit: .time,
            ours: Contender(name: "rncryptor \(verb)", messages: count) {
                try lines.rncryptor(
                    ourVerb, option, old, from: isRekeying ? text : lines.plaintext)
            },
            limits: [
                Contender(name: "decrypt for each derivation", messages: count) {
                    for _ in 0..<derivations {
                        try lines.rncryptor("decrypt", option, old, from: text)
                    }
                }
            ])
    }

    /// A file of lines, and what the command does with it.
    private struct Lines {
        let files: FileSet
        let plaintext: String
        /// Of the file.
        let byteCount: Int
        private let command: Tool

        /// Which is base64, too.
        static func text(_ count: Int) -> [UInt8] {
            let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
            return (0..<count).map { letters[$0 * 7 % letters.count] }
        }

        static func digits(_ byteCount: Int) -> [UInt8] {
            let digits = Array("0123456789abcdef".utf8)
            return Array(#"\\x"#.utf8) + (0..<2 * byteCount).map { digits[$0 * 7 % digits.count] }
        }

        init(of line: [UInt8], total: Int, _ setting: Setting) throws {
            command = try Tool.command()
            files = try setting.files()
            let line = line + [UInt8(ascii: "\n")]
            let count = total / line.count
            self.byteCount = count * line.count
            plaintext = try files.place.create(line, times: count, to: "lines")
        }

        func rncryptor(
            _ verb: String, _ option: String, _ secret: String, from input: String,
            to output: String = "/dev/null"
        ) throws {
            try Tool.shell(
                "exec \"$0\" \(verb) --lines \(option) \"$1\" < \"$2\" > \"$3\"", command.path,
                secret, input, output)
        }
    }
}
