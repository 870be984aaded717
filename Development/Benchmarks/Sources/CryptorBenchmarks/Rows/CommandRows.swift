/// The command as it is installed, against the commands that people would use instead.
enum CommandRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.file)
        return [
            Benchmark(
                section: .command, name: "rncryptor encrypt \(size)", isHeadline: true,
                work: .race(rounds: setting.fileRounds, encryption)),
            Benchmark(
                section: .command, name: "rncryptor decrypt \(size)", isHeadline: true,
                work: .race(rounds: setting.fileRounds, decryption)),
        ]
    }

    private static func encryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let programs = try Programs(setting)
        let (files, primitives) = (programs.files, try Primitives())
        return programs.race(
            { output in ["encrypt", "-q", "--key-file", programs.key, "-o", output, files.plaintext] },
            { output in programs.openssl + ["-in", files.plaintext, "-out", output] },
            { output in ["-e", "-i", programs.identity, "-o", output, files.plaintext] }
        ) { (name, output) throws(BenchmarkError) in
            switch name {
            case "openssl enc": try check(try MappedFile(output).count == files.byteCount + 16, "its length is wrong")
            case "age -e": try check(try MappedFile(output).count > files.byteCount, "its length is wrong")
            default: try check(try files.isMessage(output, primitives), "it is no message of the plaintext")
            }
        }
    }

    private static func decryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let programs = try Programs(setting)
        let files = programs.files
        let (ofOpenSSL, ofAge) = (files.place.fresh("message.enc"), files.place.fresh("message.age"))
        try Tool.named("openssl").run(programs.openssl + ["-in", files.plaintext, "-out", ofOpenSSL])
        try Tool.named("age").run(["-e", "-i", programs.identity, "-o", ofAge, files.plaintext])
        return programs.race(
            { output in ["decrypt", "-q", "--key-file", programs.key, "-o", output, files.message] },
            { output in programs.openssl + ["-d", "-in", ofOpenSSL, "-out", output] },
            { output in ["-d", "-i", programs.identity, "-o", output, ofAge] }
        ) { (_, output) throws(BenchmarkError) in
            try check(try files.isPlaintext(output), "it is not the plaintext")
        }
    }

    /// The three programs, and their keys.
    private struct Programs {
        let files: FileSet
        let key: String
        let identity: String
        let openssl = [
            "enc", "-aes-256-cbc", "-K", Keys.encryptionDigits, "-iv", String(repeating: "0", count: 32),
        ]
        private let tools: [Tool]

        init(_ setting: Setting) throws(BenchmarkError) {
            tools = [try Tool.command(setting.options), try Tool.named("openssl"), try Tool.named("age")]
            files = try setting.files()
            key = try keyFile(in: files.place)
            identity = files.place.fresh("identity")
            // age-keygen shows the public key on standard error.
            try Tool(path: "/bin/sh").run("-c", "age-keygen -o \"$0\" 2>/dev/null", identity)
        }

        /// - Parameters:
        ///   - ours, openssl, age: the words for each, with its output.
        ///   - check: gets the name of the program, and its output.
        func race(
            _ ours: @escaping (String) -> [String], _ openssl: @escaping (String) -> [String],
            _ age: @escaping (String) -> [String], check: @escaping (String, String) throws(BenchmarkError) -> Void
        ) -> Race {
            let verb = ours("")[0]
            let names = ["rncryptor \(verb)", "openssl enc", verb == "encrypt" ? "age -e" : "age -d"]
            var output = ""
            let contenders = zip(zip(names, tools), [ours, openssl, age]).map { named, words in
                Contender(name: named.0) { () throws(BenchmarkError) in
                    output = files.place.fresh("output")
                } run: { () throws(BenchmarkError) in
                    try named.1.run(words(output))
                } check: { () throws(BenchmarkError) in
                    try check(named.0, output)
                }
            }
            return Race(
                unit: .throughput(byteCount: files.byteCount), ours: contenders[0],
                limits: Array(contenders.dropFirst()))
        }
    }

    static func keyFile(in place: Workplace) throws(BenchmarkError) -> String {
        try place.create(Keys.file, to: "key")
    }
}
