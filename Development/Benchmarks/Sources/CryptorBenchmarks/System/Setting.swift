import CryptorFiles
import Foundation

/// What the benchmarks share: sizes, and files that are made when the first benchmark asks for
/// them.
final class Setting {
    /// The bytes of a large message.
    let bulk: Int
    /// The bytes of a large file.
    let file: Int
    /// How often each contender runs: for work of a second or more, and for shorter work.
    let fileRounds: Int
    let rounds: Int

    private let isQuick: Bool
    private let tmpfs: String
    private var tmpfsFiles: FileSet?

    init(_ options: Options) {
        isQuick = options.isQuick
        tmpfs = options.tmpfs
        bulk = (isQuick ? 8 : 256) << 20
        file = (isQuick ? 16 : 1024) << 20
        fileRounds = isQuick ? 2 : 7
        rounds = isQuick ? 3 : 21
    }

    /// `count`, which should take about a tenth of a second, or much less for a quick run.
    func some(_ count: Int) -> Int { isQuick ? max(1, count / 50) : count }

    /// The large files, in memory.
    func files() throws -> FileSet {
        if let tmpfsFiles { return tmpfsFiles }
        let files = try FileSet(in: tmpfs, byteCount: file)
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

    init(in directory: String, byteCount: Int) throws {
        // Room for these two files, for what is made of them, and for what another program makes.
        place = try Workplace(in: directory, room: 5 * byteCount)
        let piece = Memory(byteCount: 1 << 20, seed: 4).array
        plaintext = try place.create(piece, times: byteCount / piece.count, to: "plaintext")
        message = place.fresh("message")
        self.byteCount = byteCount
        try Cryptor.encryptFile(at: plaintext, to: message, with: Keys.credential())
    }

    func keyFile() throws -> String { try place.create(Keys.file, to: "key") }

    func isPlaintext(_ path: String) throws -> Bool { try isSame(path, plaintext) }

    func isSame(_ path: String, _ other: String) throws -> Bool {
        try Data(mapping: path) == Data(mapping: other)
    }

    func isMessage(_ path: String, _ primitives: Primitives) throws -> Bool {
        let (message, plaintext) = (try Data(mapping: path), try Data(mapping: plaintext))
        return message.withUnsafeBytes { message in
            plaintext.withUnsafeBytes { primitives.message(message, holds: $0) }
        }
    }
}
