/// A row of the report.
struct Benchmark {
    let section: Section
    let name: String
    /// The ratio that ours should have.
    var target: Double?
    /// Whether the chart for people in a hurry shows this row.
    var isHeadline = false
    let work: () throws -> Finding.Outcome

    /// A row of times that are compared with a limit.
    static func race(
        _ section: Section, _ name: String, target: Double? = nil, isHeadline: Bool = false,
        rounds: Int,
        _ makeRace: @escaping () throws -> Race
    ) -> Benchmark {
        Benchmark(section: section, name: name, target: target, isHeadline: isHeadline) {
            let race = try makeRace()
            return .race(
                RaceFinding(
                    race, samples: try Runner.samples(of: [race.ours] + race.limits, rounds: rounds)
                ))
        }
    }
}

enum Section: String, CaseIterable {
    case memory = "Memory"
    case large = "Large messages with keys, in memory touched before"
    case small = "64-byte messages, one key pair"
    case passwords = "Messages of 64 bytes with a password"
    case swiftCrypto = "A password, and the fewest lines over swift-crypto"
    case command = "The command"
    case lines = "The command's --lines, with keys"
    case files = "Files in memory, with keys"
}

/// A number of bytes.
struct Amount {
    /// The most that it should be.
    static let allowed = 20 << 20

    let label: String
    let byteCount: Int
}

/// Ours and its limits. They run in turn, so that anything that slows the machine down slows down
/// all of them.
struct Race {
    let unit: Unit
    let ours: Contender
    let limits: [Contender]
}

struct Contender {
    let name: String
    /// How many messages one run handles.
    var messages = 1
    /// Called before each run. Not timed.
    var prepare: () throws -> Void = {}
    let run: () throws -> Void
    /// Throws unless the result of the last run is right. Not timed.
    var check: () throws -> Void = {}
}

/// How the time of a message is shown.
enum Unit {
    /// Bytes per second, for messages of `byteCount` bytes.
    case throughput(byteCount: Int)
    case time
}

/// All rows, in the order of the report.
enum Benchmarks {
    static func all(_ setting: Setting) -> [Benchmark] {
        LargeRows.benchmarks(setting) + KeyedRows.benchmarks(setting)
            + KeyringRows.benchmarks(setting)
            + PasswordRows.benchmarks(setting)
            + SwiftCryptoRows.benchmarks(setting)
            + CommandRows.benchmarks(setting) + LineRows.benchmarks(setting)
            + FileRows.benchmarks(setting)
    }
}
