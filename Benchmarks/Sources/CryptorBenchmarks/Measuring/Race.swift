/// Ours, and what it is measured against: they run in turn, so that what slows the machine down slows down both.
struct Race {
    /// Which of several limits counts.
    enum Rule: String {
        /// The better of two ways to do the same.
        case fastest = "the fastest of"
        /// Of two parts that can overlap, the one that ends last.
        case slowest = "the slowest of"
    }

    let unit: Unit
    let ours: Contender
    let limits: [Contender]
    var rule = Rule.fastest

    var contenders: [Contender] { [ours] + limits }
}

struct Contender {
    let name: String
    /// How many messages one run handles.
    var messages = 1
    /// Before each run, not timed.
    var prepare: () throws(BenchmarkError) -> Void = { () throws(BenchmarkError) in }
    let run: () throws(BenchmarkError) -> Void
    /// Throws unless the result of the last run is right. Not timed.
    var check: () throws(BenchmarkError) -> Void = { () throws(BenchmarkError) in }
}

/// How the time of a message is shown.
enum Unit {
    /// Bytes a second, for messages of so many bytes.
    case throughput(byteCount: Int)
    case time
}
