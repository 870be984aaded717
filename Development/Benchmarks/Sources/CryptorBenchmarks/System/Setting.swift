import CryptorFiles

/// What the benchmarks share: sizes, and files that are made when the first benchmark asks for them.
final class Setting {
    let options: Options

    /// The bytes of a large message.
    let bulk: Int
    /// The bytes of a large file.
    let file: Int
    /// How often each contender runs: for work of a second or more, and for shorter work.
    let fileRounds: Int
    let rounds: Int

    private var tmpfsFiles: FileSet?

    init(_ options: Options) {
        self.options = options
        let quick = options.isQuick
        bulk = (quick ? 8 : 256) << 20
        file = (quick ? 16 : 1024) << 20
        fileRounds = quick ? 2 : 7
        rounds = quick ? 3 : 21
    }

    /// `count`, which should take about a tenth of a second, or much less for a quick run.
    func some(_ count: Int) -> Int { options.isQuick ? max(1, count / 50) : count }

    /// The large files, in memory.
    func files() throws(BenchmarkError) -> FileSet {
        if let tmpfsFiles { return tmpfsFiles }
        let files = try FileSet(in: options.tmpfs, byteCount: file)
        tmpfsFiles = files
        return files
    }
}

/// A plaintext and its message as files.
final class FileSet {
    let place: Workplace
    let plaintext: String
    let message: String
    let byteCount: Int

    init(in folder: String, byteCount: Int) throws(BenchmarkError) {
        // Room for these two files, for what is made of them, and for what another program makes.
        place = try Workplace(in: folder, room: 5 * byteCount)
        let piece = Memory(byteCount: 1 << 20, seed: 4).array
        plaintext = try place.create(piece, times: byteCount / piece.count, to: "plaintext")
        message = place.fresh("message")
        self.byteCount = byteCount
        try calling("encryptFile") { () throws(CryptorError) in
            try Cryptor.encryptFile(at: plaintext, to: message, with: Keys.credential())
        }
    }

    func isPlaintext(_ path: String) throws(BenchmarkError) -> Bool {
        try MappedFile(path).equals(try MappedFile(plaintext))
    }

    func isMessage(_ path: String, _ primitives: Primitives) throws(BenchmarkError) -> Bool {
        try MappedFile(path).isMessage(of: try MappedFile(plaintext), primitives)
    }
}
