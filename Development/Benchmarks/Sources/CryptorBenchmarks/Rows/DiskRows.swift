import CSupport
import CryptorFormat

/// Files that have to be on the disk before a call returns. How fast that is depends on the disk.
enum DiskRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [setting.file, setting.smallFile].flatMap { byteCount in
            let size = Figures.binary(byteCount)
            let note = "a copy by read, write and fsync in the same folder; the source is in memory"
            return [
                Benchmark(
                    section: .disk, name: "encryptFile \(size)", note: note,
                    work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                        try encryption(try FileSet(in: setting.options.disk, byteCount: byteCount))
                    }),
                Benchmark(
                    section: .disk, name: "decryptFile \(size)", note: note,
                    work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in
                        try decryption(try FileSet(in: setting.options.disk, byteCount: byteCount))
                    }),
            ]
        }
    }

    private static func encryption(_ files: FileSet) throws(BenchmarkError) -> Race {
        let credential = try Streaming().credential
        let primitives = try Primitives()
        var output = ""
        let ours = Contender(name: "encryptFile") { () throws(BenchmarkError) in
            output = files.place.fresh("encrypted")
        } run: { () throws(BenchmarkError) in
            try calling("encryptFile") { () throws(CryptorError) in
                try Cryptor.encryptFile(at: files.plaintext, to: output, with: credential)
            }
        } check: { () throws(BenchmarkError) in
            try check(try files.isMessage(output, primitives), "it is no message of the plaintext")
        }
        return Race(
            unit: .throughput(byteCount: files.byteCount), ours: ours, limits: [copy(of: files.plaintext, files)])
    }

    private static func decryption(_ files: FileSet) throws(BenchmarkError) -> Race {
        let credential = try Streaming().credential
        var output = ""
        let ours = Contender(name: "decryptFile") { () throws(BenchmarkError) in
            output = files.place.fresh("decrypted")
        } run: { () throws(BenchmarkError) in
            try calling("decryptFile") { () throws(CryptorError) in
                try Cryptor.decryptFile(at: files.message, to: output, with: credential)
            }
        } check: { () throws(BenchmarkError) in
            try check(try files.isPlaintext(output), "it is not the plaintext")
        }
        return Race(
            unit: .throughput(byteCount: files.byteCount), ours: ours, limits: [copy(of: files.message, files)])
    }

    private static func copy(of source: String, _ files: FileSet) -> Contender {
        var output = ""
        return Contender(name: "copy") { () throws(BenchmarkError) in
            output = files.place.fresh("copy")
        } run: { () throws(BenchmarkError) in
            guard support_copy(source, output) else { throw .failed("\(output): it cannot be written") }
        }
    }
}
