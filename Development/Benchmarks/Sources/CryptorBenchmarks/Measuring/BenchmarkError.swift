/// Why a run ends, or why a row has no figures.
enum BenchmarkError: Error {
    /// The arguments make no sense.
    case usage(String)
    /// Something that the row needs is missing. The other rows still run.
    case skipped(String)
    /// A result is not what it has to be.
    case wrong(String)
    /// Something could not be done.
    case failed(String)
    case interrupted
}

/// Calls `body`, and turns its error into a ``BenchmarkError``.
func calling<Result, Failure: Error>(
    _ name: String, _ body: () throws(Failure) -> Result
) throws(BenchmarkError) -> Result {
    do throws(Failure) { return try body() } catch { throw .failed("\(name): \(error)") }
}

/// - Parameter words: what has to be the case.
func check(_ isRight: Bool, _ words: @autoclosure () -> String) throws(BenchmarkError) {
    guard isRight else { throw .wrong(words()) }
}
