import CryptorFiles

/// A file that is read, and where its output goes.
struct FileJob {
    let input: FileEndpoint
    /// The path of the input from its operand on, if that is a directory; else its name, which a
    /// descriptor has not.
    var pathFromOperand: [UInt8]?
    /// Nil if nothing else is written, as by `verify` and by `rekey` in place, or if ``failure``
    /// says why.
    var output: FileEndpoint?
    /// Why the file cannot be worked on, if that is known beforehand.
    var failure: CommandError?
    /// The path of the output below the directory of `--output-dir`, where directories may still
    /// have to be made for it; nil without that option.
    var pathBelowDirectory: [UInt8]?
    /// Whether some file systems take the name of its output for that of another output, so it must
    /// not replace a file.
    var isOneOfTwoNames = false
    /// Whether its output existed before the run, and is finished.
    var isDone = false
}
