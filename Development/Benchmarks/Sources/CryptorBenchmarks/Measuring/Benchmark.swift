/// A row of the report.
struct Benchmark {
    enum Work {
        /// Times that are compared with a limit.
        case race(rounds: Int, (Setting) throws(BenchmarkError) -> Race)
        /// Other numbers, such as bytes of memory.
        case amounts((Setting) throws(BenchmarkError) -> [Amount])
    }

    let section: Section
    let name: String
    /// The ratio that ours should have.
    var target: Double?
    /// Whether the chart for people in a hurry shows this row.
    var isHeadline = false
    let work: Work
}

enum Section: String, CaseIterable {
    case memory = "Memory"
    case large = "Large messages with keys, in memory touched before"
    case small = "Many messages under one pair of keys, of 64 bytes if not said otherwise"
    case passwords = "Messages of 64 bytes with a password"
    case swiftCrypto = "A password, and the fewest lines over swift-crypto"
    case command = "The command"
    case lines = "The command's --lines, with keys"
    case files = "Files in memory, with keys"
}

/// A number of bytes.
struct Amount {
    let label: String
    let byteCount: Int
    /// The most that it should be.
    var allowed = 20 << 20
}

/// All rows, in the order of the report.
enum Benchmarks {
    static func all(_ setting: Setting) -> [Benchmark] {
        FileRows.peaks(setting) + LargeRows.benchmarks(setting) + KeyedRows.benchmarks(setting)
            + KeyringRows.benchmarks(setting)
            + PasswordRows.benchmarks(setting)
            + SwiftCryptoRows.benchmarks(setting)
            + CommandRows.benchmarks(setting) + LineRows.benchmarks(setting) + FileRows.benchmarks(setting)
    }
}
