import CryptorFormat

/// Files by the library, in this process: from memory to nowhere, which leaves out everything but its own work.
enum FileRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.file)
        let hashing = "SHA-256 alone over as many bytes"
        return [
            Benchmark(
                section: .files, name: "encryptFile \(size) to /dev/null", note: "AES-256-CBC alone over as many bytes",
                target: 0.9,
                work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                    try race("encryptFile", setting, isEncryption: true) { (files, keys) throws(CryptorError) in
                        try Cryptor.encryptFile(at: files.plaintext, to: "/dev/null", with: keys)
                    }
                }),
            Benchmark(
                section: .files, name: "decryptFile \(size) to /dev/null",
                note: "\(hashing); nobody sees what a null device gets, so that one reading will do", target: 0.9,
                work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                    try race("decryptFile", setting, isEncryption: false) { (files, keys) throws(CryptorError) in
                        try Cryptor.decryptFile(at: files.message, to: "/dev/null", with: keys)
                    }
                }),
            Benchmark(
                section: .files, name: "decryptFile \(size) to a pipe",
                note: "SHA-256 alone over twice as many bytes: the message is read twice, by design",
                work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                    try race("decryptFile", setting, isEncryption: false, readings: 2) {
                        (files, keys) throws(CryptorError) in
                        let drain = Drain()
                        defer { drain.finish() }
                        try Cryptor.decryptFile(at: .path(files.message), to: .descriptor(drain.descriptor), with: keys)
                    }
                }),
            Benchmark(
                section: .files, name: "verifyFile \(size)", note: hashing, target: 0.9,
                work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                    try race("verifyFile", setting, isEncryption: false) { (files, keys) throws(CryptorError) in
                        try Cryptor.verifyFile(at: files.message, with: keys)
                    }
                }),
        ]
    }

    private static func race(
        _ name: String, _ setting: Setting, isEncryption: Bool, readings: Int = 1,
        _ run: @escaping (FileSet, Credential) throws(CryptorError) -> Void
    ) throws(BenchmarkError) -> Race {
        let files = try setting.files()
        let credential = try Streaming(.automatic).credential
        let exchange = try Exchange(byteCount: setting.bulk, times: readings * files.byteCount / setting.bulk)
        var alone = isEncryption ? exchange.cbcEncryption : exchange.hashing
        // All of them are one file.
        alone.messages = 1
        return Race(
            unit: .throughput(byteCount: files.byteCount),
            ours: Contender(name: name) { () throws(BenchmarkError) in
                try calling(name) { () throws(CryptorError) in try run(files, credential) }
            },
            limits: [alone])
    }
}
