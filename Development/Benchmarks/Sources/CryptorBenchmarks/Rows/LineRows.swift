/// One message per line, with keys, from a file in memory to nowhere.
enum LineRows {
    /// The first argument that makes this program run as the plain C program.
    static let plainProgram = "plain-lines"

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [64, 1024].flatMap { byteCount in
            ["encrypt", "decrypt"].map { verb in
                Benchmark(
                    section: .lines, name: "rncryptor \(verb) --lines, \(Figures.binary(byteCount)) each",
                    target: 0.8,
                    work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                        try race(verb, byteCount, setting)
                    })
            }
        }
            + ["encrypt", "decrypt"].map { verb in
                Benchmark(
                    section: .lines, name: "rncryptor \(verb) --lines under a password, 64 B each",
                    target: 0.8,
                    work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                        try underAPassword(verb, setting)
                    })
            }
    }

    private static func underAPassword(_ verb: String, _ setting: Setting) throws(BenchmarkError) -> Race {
        let rncryptor = try Tool.command(setting.options)
        let files = try setting.files()
        let key = try CommandRows.keyFile(in: files.place)
        let password = try files.place.create(Array("correct horse battery staple".utf8), to: "password")
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 64) + [UInt8(ascii: "\n")]
        let total = setting.some(16 << 20) / line.count * line.count
        let plaintext = try files.place.create(line, times: total / line.count, to: "lines")
        let shell = Tool(path: "/bin/sh")
        var contenders: [Contender] = []
        for (option, secret) in [("--password-file", password), ("--key-file", key)] {
            let text = files.place.fresh("text\(option)")
            try shell.run(
                "-c", "\"$0\" encrypt --lines \(option) \"$1\" < \"$2\" > \"$3\"", rncryptor.path, secret, plaintext,
                text)
            let input = verb == "encrypt" ? plaintext : text
            contenders.append(
                Contender(name: option) { () throws(BenchmarkError) in
                    try shell.run(
                        "-c", "exec \"$0\" \(verb) --lines \(option) \"$1\" < \"$2\" > /dev/null", rncryptor.path,
                        secret, input)
                })
        }
        return Race(unit: .throughput(byteCount: total), ours: contenders[0], limits: [contenders[1]])
    }

    private static func race(_ verb: String, _ byteCount: Int, _ setting: Setting) throws(BenchmarkError) -> Race {
        guard let program = Tool.thisProgram else { throw .failed("the path of this program is not known") }
        let rncryptor = try Tool.command(setting.options)
        let files = try setting.files()
        let key = try CommandRows.keyFile(in: files.place)
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let line = (0..<byteCount).map { letters[$0 * 7 % letters.count] } + [UInt8(ascii: "\n")]
        let total = setting.some(64 << 20) / line.count * line.count
        let plaintext = try files.place.create(line, times: total / line.count, to: "lines")
        let shell = Tool(path: "/bin/sh")
        let text = files.place.fresh("text")
        let checked = files.place.fresh("checked")
        try shell.run(
            "-c", "\"$0\" encrypt --lines --key-file \"$1\" < \"$2\" > \"$3\"", rncryptor.path, key, plaintext, text)
        try shell.run("-c", "\"$0\" \(plainProgram) decrypt < \"$1\" > \"$2\"", program, text, checked)
        try check(try MappedFile(checked).equals(try MappedFile(plaintext)), "it is not the plaintext")
        try shell.run(
            "-c", "\"$0\" decrypt --lines --key-file \"$1\" < \"$2\" > \"$3\"", rncryptor.path, key, text, checked)
        try check(try MappedFile(checked).equals(try MappedFile(plaintext)), "it is not the plaintext")
        let input = verb == "encrypt" ? plaintext : text
        return Race(
            unit: .throughput(byteCount: total),
            ours: Contender(name: "rncryptor --lines") { () throws(BenchmarkError) in
                try shell.run(
                    "-c", "exec \"$0\" \(verb) --lines --key-file \"$1\" < \"$2\" > /dev/null", rncryptor.path, key,
                    input)
            },
            limits: [
                Contender(name: "a C program") { () throws(BenchmarkError) in
                    try shell.run("-c", "exec \"$0\" \(plainProgram) \(verb) < \"$1\" > /dev/null", program, input)
                }
            ])
    }
}
