import CryptorFormat

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `VerifiedFile`: 64 KiB at random places of a file that is in memory.
enum PartRows {
    static let byteCount = 64 * 1024

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(byteCount)
        let digest = "a digest of each segment is compared on the way, by design"
        return [
            Benchmark(
                section: .parts, name: "VerifiedFile: read \(size), one segment",
                note: "pread and AES-256-CBC; \(digest)",
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    try reading(setting, shift: 0, deciphering: true)
                }),
            Benchmark(
                section: .parts, name: "VerifiedFile: read \(size), against pread", note: "pread alone",
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    try reading(setting, shift: 0, deciphering: false)
                }),
            Benchmark(
                section: .parts, name: "VerifiedFile: read \(size), across two segments",
                note: "pread and AES-256-CBC of \(size); both segments are read and compared, by design",
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    try reading(setting, shift: byteCount / 2, deciphering: true)
                }),
            Benchmark(
                section: .parts, name: "VerifiedFile: open \(Figures.binary(setting.file))",
                note: "SHA-256 alone over as many bytes", target: 0.9,
                work: .race(rounds: setting.fileRounds) { (setting) throws(BenchmarkError) in try opening(setting) }),
        ]
    }

    /// - Parameter shift: how far from the start of a segment each part begins.
    private static func reading(_ setting: Setting, shift: Int, deciphering: Bool) throws(BenchmarkError) -> Race {
        let files = try setting.files()
        let file = try open(files)
        let primitives = try Primitives()
        let raw = Memory(byteCount: byteCount)
        let part = Memory(byteCount: byteCount)
        let offsets = Offsets(count: setting.some(10_000), below: files.byteCount - 2 * byteCount, shift: shift)
        let descriptor = try Descriptor(files.message)
        let ours = Contender(name: "VerifiedFile", messages: offsets.all.count) { () throws(BenchmarkError) in
            part.clear()
        } run: { () throws(BenchmarkError) in
            try calling("read") { () throws(CryptorError) in
                for offset in offsets.all {
                    var output = OutputRawSpan(buffer: part.bytes, initializedCount: 0)
                    try file.read(offset..<offset + byteCount, into: &output)
                }
            }
        } check: { () throws(BenchmarkError) in
            let expected = Memory(byteCount: byteCount)
            try Descriptor(files.plaintext).read(at: offsets.last, into: expected)
            try check(part.starts(with: expected, byteCount: byteCount), "it is not the plaintext")
        }
        let plain = Contender(name: deciphering ? "pread, AES-256-CBC" : "pread", messages: offsets.all.count) {
            () throws(BenchmarkError) in
            for offset in offsets.all {
                try descriptor.read(at: 18 + offset, into: raw)
                if deciphering { try primitives.decryptCBC(raw, count: byteCount, into: part) }
            }
        }
        return Race(unit: .time, ours: ours, limits: [plain])
    }

    private static func opening(_ setting: Setting) throws(BenchmarkError) -> Race {
        let files = try setting.files()
        let exchange = try Exchange(byteCount: setting.bulk, times: files.byteCount / setting.bulk)
        var alone = exchange.hashing
        alone.messages = 1
        return Race(
            unit: .throughput(byteCount: files.byteCount),
            ours: Contender(name: "VerifiedFile") { () throws(BenchmarkError) in _ = try open(files) },
            limits: [alone])
    }

    private static func open(_ files: FileSet) throws(BenchmarkError) -> VerifiedFile {
        try calling("VerifiedFile") { () throws(CryptorError) in
            try VerifiedFile(at: files.message, with: Keys.credential())
        }
    }
}

/// Random places, the same for all contenders.
private struct Offsets {
    let all: [Int]

    init(count: Int, below limit: Int, shift: Int) {
        var state: UInt64 = 7
        all = (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 16) % (limit / PartRows.byteCount) * PartRows.byteCount + shift
        }
    }

    var last: Int { all[all.count - 1] }
}

private final class Descriptor {
    private let number: CInt
    private let path: String

    init(_ path: String) throws(BenchmarkError) {
        number = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        guard number >= 0 else { throw .failed("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(number) }

    func read(at offset: Int, into memory: Memory) throws(BenchmarkError) {
        guard pread(number, memory.bytes.baseAddress, memory.count, off_t(offset)) == memory.count else {
            throw .failed("\(path): it cannot be read")
        }
    }
}
