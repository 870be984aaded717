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
    /// What the row is measured against and why, in words.
    let note: String
    /// The ratio that ours should have.
    var target: Double?
    /// Whether the chart for people in a hurry shows this row.
    var isHeadline = false
    /// Whether the row runs in a process of its own, because the process itself is measured or configured.
    var isAlone = false
    /// A variable for that process, as `NAME=VALUE`.
    var environment: String?
    let work: Work
}

enum Section: String, CaseIterable {
    case large = "Large messages with keys, in memory touched before"
    case whole = "Whole messages with keys, into fresh memory"
    case sizes = "Other sizes, with keys, in memory touched before"
    case chunks = "Streams in small chunks, one core"
    case small = "Many messages of 64 bytes under one pair of keys"
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

/// A number that is not a time.
struct Amount {
    enum Unit: String {
        case bytes
        case allocations
    }

    let label: String
    let value: Double
    let unit: Unit
    /// The most that the value should be.
    var allowed: Double?
}
