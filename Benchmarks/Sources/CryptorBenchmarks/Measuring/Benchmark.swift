/// A row of the report.
struct Benchmark {
    enum Work {
        /// Times against a limit.
        case race(rounds: Int, (Setting) throws(BenchmarkError) -> Race)
        /// Anything else that is counted.
        case amounts((Setting) throws(BenchmarkError) -> [Amount])
    }

    let section: Section
    let name: String
    /// What it is measured against and why, in words.
    let note: String
    /// The ratio that ours should have.
    var target: Double?
    /// One of the few that a chart for people in a hurry shows.
    var isHeadline = false
    /// In a process of its own, because the process as a whole is measured or configured.
    var isAlone = false
    /// For that process, as `NAME=VALUE`.
    var environment: String?
    let work: Work
}

enum Section: String, CaseIterable {
    case large = "Large messages with keys, in memory touched before"
    case whole = "Whole messages with keys, into fresh memory"
    case sizes = "Other sizes, with keys, in memory touched before"
    case chunks = "Streams in small chunks, one core"
    case small = "Many messages of 64 bytes under one pair of keys"
    case columns = "Columns of messages under one pair of keys, one core"
    case kinds = "Kinds of bytes, from another package"
    case passwords = "Messages of 64 bytes with a password, one core"
    case pool = "Messages of 64 bytes with a password, in tasks, all cores"
    case command = "The command"
    case lines = "The command's --lines, with keys"
    case files = "Files in memory, with keys, by the library"
    case parts = "Parts of a file in memory, with keys, by the library, one core"
    case disk = "Files on the disk, synchronised, with keys, by the library"
    case memory = "Memory"
}

/// A number of something that is no time.
struct Amount {
    enum Unit: String {
        case bytes
        case allocations
    }

    let label: String
    let value: Double
    let unit: Unit
    /// The most that there should be.
    var allowed: Double?
}
