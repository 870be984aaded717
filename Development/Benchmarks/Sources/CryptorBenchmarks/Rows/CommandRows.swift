/// The command as it is installed, against the commands that people would use instead.
enum CommandRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.file)
        return [
            Benchmark(
                section: .command, name: "rncryptor encrypt \(size)",
                target: 1 / 0.8, isHeadline: true, work: .race(rounds: setting.fileRounds, encryption)),
            Benchmark(
                section: .command, name: "rncryptor decrypt \(size)", target: 1,
                isHeadline: true, work: .race(rounds: setting.fileRounds, decryption)),
        ]
    }

    private static func encryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let rncryptor = try Tool.command(setting.options)
        let openssl = try Tool.named("openssl")
        let files = try setting.files()
        let primitives = try Primitives()
        let key = try keyFile(in: files.place)
        var output = ""
        let ours = Contender(name: "rncryptor encrypt") { () throws(BenchmarkError) in
            output = files.place.fresh("encrypted")
        } run: { () throws(BenchmarkError) in
            try rncryptor.run("encrypt", "-q", "--key-file", key, "-o", output, files.plaintext)
        } check: { () throws(BenchmarkError) in
            try check(try files.isMessage(output, primitives), "it is no message of the plaintext")
        }
        let iv = String(repeating: "0", count: 32)
        let limit = Contender(name: "openssl enc") { () throws(BenchmarkError) in
            output = files.place.fresh("encrypted")
        } run: { () throws(BenchmarkError) in
            try openssl.run(
                "enc", "-aes-256-cbc", "-K", Keys.encryptionDigits, "-iv", iv, "-in", files.plaintext, "-out", output)
        } check: { () throws(BenchmarkError) in
            try check(try MappedFile(output).count == files.byteCount + 16, "its length is wrong")
        }
        return Race(unit: .throughput(byteCount: files.byteCount), ours: ours, limits: [limit])
    }

    private static func decryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let rncryptor = try Tool.command(setting.options)
        let age = try Tool.named("age")
        let files = try setting.files()
        let key = try keyFile(in: files.place)
        let identity = files.place.fresh("identity")
        let ageMessage = files.place.fresh("message.age")
        // age-keygen shows the public key on standard error.
        try Tool(path: "/bin/sh").run("-c", "age-keygen -o \"$0\" 2>/dev/null", identity)
        try age.run("-e", "-i", identity, "-o", ageMessage, files.plaintext)

        var output = ""
        func contender(_ name: String, _ run: @escaping () throws(BenchmarkError) -> Void) -> Contender {
            Contender(name: name) { () throws(BenchmarkError) in
                output = files.place.fresh("decrypted")
            } run: { () throws(BenchmarkError) in
                try run()
            } check: { () throws(BenchmarkError) in
                try check(try files.isPlaintext(output), "it is not the plaintext")
            }
        }
        return Race(
            unit: .throughput(byteCount: files.byteCount),
            ours: contender("rncryptor decrypt") { () throws(BenchmarkError) in
                try rncryptor.run("decrypt", "-q", "--key-file", key, "-o", output, files.message)
            },
            limits: [
                contender("age -d") { () throws(BenchmarkError) in
                    try age.run("-d", "-i", identity, "-o", output, ageMessage)
                }
            ])
    }

    static func keyFile(in place: Workplace) throws(BenchmarkError) -> String {
        try place.create(Keys.file, to: "key")
    }
}
