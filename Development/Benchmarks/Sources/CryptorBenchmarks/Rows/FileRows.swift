import CryptorFormat

/// The library's functions on files, in this process: from memory to nowhere, so that only the library's work counts.
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
                note: "\(hashing): the message is read twice, by design", target: 0.75,
                work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                    try decryptionToPipe(setting)
                }),
            Benchmark(
                section: .files, name: "decryptFile \(size) to a pipe, against the pipe",
                note: "SHA-256 alone, and then as many bytes through a pipe: none may be released before it ends",
                work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                    let exchange = try exchange(setting)
                    return try decryptionToPipe(
                        setting,
                        limit: Contender(name: "SHA-256, then the pipe") { () throws(BenchmarkError) in
                            try exchange.hashing.run()
                            let drain = Drain()
                            defer { drain.finish() }
                            try drain.write(exchange.plaintext, times: exchange.times)
                        })
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

    private static func decryptionToPipe(_ setting: Setting, limit: Contender? = nil) throws(BenchmarkError) -> Race {
        try race("decryptFile", setting, isEncryption: false, limit: limit) { (files, keys) throws(CryptorError) in
            let drain = Drain()
            defer { drain.finish() }
            try Cryptor.decryptFile(at: .path(files.message), to: .descriptor(drain.descriptor), with: keys)
        }
    }

    /// An exchange that handles as many bytes in a run as the files have.
    private static func exchange(_ setting: Setting) throws(BenchmarkError) -> Exchange {
        try Exchange(byteCount: setting.bulk, times: try setting.files().byteCount / setting.bulk)
    }

    /// - Parameter limit: the primitive alone, if nil.
    private static func race(
        _ name: String, _ setting: Setting, isEncryption: Bool, limit: Contender? = nil,
        _ run: @escaping (FileSet, Credential) throws(CryptorError) -> Void
    ) throws(BenchmarkError) -> Race {
        let files = try setting.files()
        let credential = try Streaming().credential
        let exchange = try exchange(setting)
        var alone = limit ?? (isEncryption ? exchange.cbcEncryption : exchange.hashing)
        // All of them together stand for one file.
        alone.messages = 1
        return Race(
            unit: .throughput(byteCount: files.byteCount),
            ours: Contender(name: name) { () throws(BenchmarkError) in
                try calling(name) { () throws(CryptorError) in try run(files, credential) }
            },
            limits: [alone])
    }
}
