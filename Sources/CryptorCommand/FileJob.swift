import CryptorFiles

/// A file that is read, and where its output goes.
struct FileJob {
    let input: FileEndpoint
    /// Nil if nothing else is written, as by `verify` and by `rekey` in place, or if ``failure``
    /// says why.
    var output: FileEndpoint?
    /// Why the file cannot be worked on, if that is known beforehand.
    var failure: CommandError?
    /// Whether its output existed before the run, and is finished.
    var isDone = false
}
