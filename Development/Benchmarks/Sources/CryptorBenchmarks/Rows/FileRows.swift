import CryptorFiles

/// The library's functions on files, in this process: from memory to nowhere, so that only the
/// library's work counts. Nobody sees what a null device gets, so that one reading will do for
/// decryption.
enum FileRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            row("encryptFile", setting, \.cbcEncryption) { files, keys in
                try Cryptor.encryptFile(at: files.plaintext, to: "/dev/null", with: keys)
            },
            row("decryptFile", setting, \.hashing) { files, keys in
                try Cryptor.decryptFile(at: files.message, to: "/dev/null", with: keys)
            },
            Benchmark(
                section: .memory, name: "peak of rncryptor with \(Figures.binary(setting.file))"
            ) {
                .amounts(try commandPeaks(setting))
            },
        ]
    }

    private static func row(
        _ function: String, _ setting: Setting, _ limit: KeyPath<Exchange, Contender>,
        _ run: @escaping (FileSet, Credential) throws -> Void
    ) -> Benchmark {
        let name = "\(function) \(Figures.binary(setting.file)) to /dev/null"
        return .race(.files, name, target: 0.9, rounds: setting.fileRounds) {
            let files = try setting.files()
            // An exchange that handles as many bytes in a run as the files have.
            let exchange = try Exchange(
                byteCount: setting.bulk, times: files.byteCount / setting.bulk)
            var alone = exchange[keyPath: limit]
            // All of them together stand for one file.
            alone.messages = 1
            let ours = Contender(name: "the library") { try run(files, try Keys.credential()) }
            return Race(unit: .throughput(byteCount: files.byteCount), ours: ours, limits: [alone])
        }
    }

    private static func commandPeaks(_ setting: Setting) throws -> [Amount] {
        let rncryptor = try Tool.command()
        let files = try setting.files()
        let key = try files.keyFile()
        func peak(_ verb: String, _ input: String) throws -> Amount {
            let output = files.place.fresh("output")
            return Amount(
                label: verb,
                byteCount: try rncryptor.peak(verb, "-q", "--key-file", key, "-o", output, input))
        }
        return [try peak("encrypt", files.plaintext), try peak("decrypt", files.message)]
    }
}
