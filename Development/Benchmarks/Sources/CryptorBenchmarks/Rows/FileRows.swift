import CryptorFiles

/// The library's functions on files, in this process: from memory to nowhere, so that only the library's work counts.
/// Nobody sees what a null device gets, so that one reading will do for decryption.
enum FileRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.file)
        return [
            row("encryptFile \(size) to /dev/null", setting, \.cbcEncryption) {
                (files, keys) throws(CryptorError) in
                try Cryptor.encryptFile(at: files.plaintext, to: "/dev/null", with: keys)
            },
            row("decryptFile \(size) to /dev/null", setting, \.hashing) {
                (files, keys) throws(CryptorError) in
                try Cryptor.decryptFile(at: files.message, to: "/dev/null", with: keys)
            },
        ]
    }

    /// A program's peak begins with that of the process that starts it. So this row comes before all others, which take
    /// much memory.
    static func peaks(_ setting: Setting) -> [Benchmark] {
        [
            Benchmark(
                section: .memory, name: "peak of rncryptor with \(Figures.binary(setting.file))",
                work: .amounts(commandPeaks))
        ]
    }

    private static func row(
        _ name: String, _ setting: Setting, _ limit: KeyPath<Exchange, Contender>,
        _ run: @escaping (FileSet, Credential) throws(CryptorError) -> Void
    ) -> Benchmark {
        Benchmark(
            section: .files, name: name, target: 0.9,
            work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                let files = try setting.files()
                // An exchange that handles as many bytes in a run as the files have.
                let exchange = try Exchange(byteCount: setting.bulk, times: files.byteCount / setting.bulk)
                var alone = exchange[keyPath: limit]
                // All of them together stand for one file.
                alone.messages = 1
                let ours = Contender(name: "the library") { () throws(BenchmarkError) in
                    try calling(name) { () throws(CryptorError) in try run(files, try Keys.credential()) }
                }
                return Race(unit: .throughput(byteCount: files.byteCount), ours: ours, limits: [alone])
            })
    }

    private static func commandPeaks(_ setting: Setting) throws(BenchmarkError) -> [Amount] {
        let rncryptor = try Tool.command(setting.options)
        let files = try setting.files()
        let key = try CommandRows.keyFile(in: files.place)
        let encrypted = files.place.fresh("encrypted")
        let decrypted = files.place.fresh("decrypted")
        return [
            Amount(
                label: "encrypt",
                byteCount: try rncryptor.peak("encrypt", "-q", "--key-file", key, "-o", encrypted, files.plaintext)),
            Amount(
                label: "decrypt",
                byteCount: try rncryptor.peak("decrypt", "-q", "--key-file", key, "-o", decrypted, encrypted)),
        ]
    }
}
