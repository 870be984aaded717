/// Ours and its limits. They run in turn, so that anything that slows the machine down slows down all of them.
struct Race {
    let unit: Unit
    let ours: Contender
    let limits: [Contender]

    var contenders: [Contender] { [ours] + limits }
}

struct Contender {
    let name: String
    /// How many messages one run handles.
    var messages = 1
    /// Called before each run. Not timed.
    var prepare: () throws(BenchmarkError) -> Void = { () throws(BenchmarkError) in }
    let run: () throws(BenchmarkError) -> Void
    /// Throws unless the result of the last run is right. Not timed.
    var check: () throws(BenchmarkError) -> Void = { () throws(BenchmarkError) in }
}

/// How the time of a message is shown.
enum Unit {
    /// Bytes per second, for messages of `byteCount` bytes.
    case throughput(byteCount: Int)
    case time
}
