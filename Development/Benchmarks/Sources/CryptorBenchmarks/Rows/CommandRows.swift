import Foundation

/// The command as it is installed, against the commands that people would use instead.
enum CommandRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            row("encrypt", setting) { programs in try encryption(programs, try Primitives()) },
            row("decrypt", setting, decryption),
        ]
    }

    private static func row(
        _ verb: String, _ setting: Setting,
        _ makeContenders: @escaping (Programs) throws -> [Contender]
    ) -> Benchmark {
        let name = "rncryptor \(verb) \(Figures.binary(setting.file))"
        return .race(.command, name, isHeadline: true, rounds: setting.fileRounds) {
            let programs = try Programs(setting)
            let contenders = try makeContenders(programs)
            return Race(
                unit: .throughput(byteCount: programs.files.byteCount), ours: contenders[0],
                limits: Array(contenders.dropFirst()))
        }
    }

    private static func encryption(_ programs: Programs, _ primitives: Primitives) throws
        -> [Contender]
    {
        let files = programs.files
        func isLonger(_ output: String) throws -> Bool {
            try Data(mapping: output).count > files.byteCount
        }
        return [
            programs.contender(
                "rncryptor encrypt", programs.rncryptor, programs.ours("encrypt", files.plaintext)
            ) {
                try files.isMessage($0, primitives)
            },
            programs.contender(
                "openssl enc", programs.openssl, programs.enc(files.plaintext), isRight: isLonger),
            programs.contender(
                "age -e", programs.age, programs.age("-e", files.plaintext), isRight: isLonger),
        ]
    }

    private static func decryption(_ programs: Programs) throws -> [Contender] {
        let files = programs.files
        let (ofOpenSSL, ofAge) = (
            files.place.fresh("message.enc"), files.place.fresh("message.age")
        )
        try programs.openssl.run(programs.enc(files.plaintext)(ofOpenSSL))
        try programs.age.run(programs.age("-e", files.plaintext)(ofAge))
        return [
            programs.contender(
                "rncryptor decrypt", programs.rncryptor, programs.ours("decrypt", files.message),
                isRight: files.isPlaintext),
            programs.contender(
                "openssl enc", programs.openssl, programs.enc(ofOpenSSL, "-d"),
                isRight: files.isPlaintext),
            programs.contender(
                "age -d", programs.age, programs.age("-d", ofAge), isRight: files.isPlaintext),
        ]
    }

    /// The three programs and their keys, and the arguments of each for a given output.
    private struct Programs {
        typealias Arguments = (_ output: String) -> [String]

        let files: FileSet
        let rncryptor: Tool
        let openssl: Tool
        let age: Tool
        private let key: String
        private let identity: String

        init(_ setting: Setting) throws {
            rncryptor = try Tool.command()
            openssl = try Tool.named("openssl")
            age = try Tool.named("age")
            files = try setting.files()
            key = try files.keyFile()
            identity = files.place.fresh("identity")
            // age-keygen shows the public key on standard error.
            try Tool.shell("age-keygen -o \"$0\" 2>/dev/null", identity)
        }

        func ours(_ verb: String, _ input: String) -> Arguments {
            { [verb, "-q", "--key-file", key, "-o", $0, input] }
        }

        func enc(_ input: String, _ options: String...) -> Arguments {
            let zeros = String(repeating: "0", count: 32)
            return { output in
                ["enc", "-aes-256-cbc", "-K", Keys.encryptionDigits, "-iv", zeros] + options
                    + ["-in", input, "-out", output]
            }
        }

        func age(_ option: String, _ input: String) -> Arguments {
            { [option, "-i", identity, "-o", $0, input] }
        }

        func contender(
            _ name: String, _ tool: Tool, _ arguments: @escaping Arguments,
            isRight: @escaping (_ output: String) throws -> Bool
        ) -> Contender {
            var output = ""
            return Contender(name: name) {
                output = files.place.fresh("output")
            } run: {
                try tool.run(arguments(output))
            } check: {
                try check(try isRight(output), "\(name) wrote something else")
            }
        }
    }
}
