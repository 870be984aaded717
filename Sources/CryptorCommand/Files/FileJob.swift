import CryptorFiles
import CryptorSystem

/// A file that is read, and where its output goes.
struct FileJob {
    var input: FileEndpoint
    /// The path of the input from its operand on, if that is a directory; else its name, which a
    /// descriptor has not.
    var pathFromOperand: [UInt8]?
    /// The directory in which it was found; nil for an operand.
    var directory: InputFiles.FoundDirectory?
    /// Nil if nothing else is written, as by `verify` and by `rekey` in place, or if ``failure``
    /// says why.
    var output: FileEndpoint?
    /// The name of the output if it is in the directory of the input, as with `--suffix`.
    var nameBesideInput: [UInt8]?
    /// Why the file cannot be worked on, if that is known beforehand.
    var failure: CommandError?
    /// The path of the output below the directory of `--output-dir`, where directories may still
    /// have to be made for it; nil without that option.
    var pathBelowDirectory: [UInt8]?
    /// Whether some file systems take the name of its output for that of another output, so it must
    /// not replace a file.
    var isOneOfTwoNames = false
    /// Whether its output existed before the run, and is finished.
    var hasFinishedOutput = false

    /// Whether its output is to be written.
    var isUnfinished: Bool { failure == nil && !hasFinishedOutput }

    /// The job with its input, and an output beside it, in the very directory in which the input
    /// was found. Whoever may rename directories must not have files of one read or written as
    /// those of another, with other rights.
    /// - Parameter last: the directory of the file before, which stays open: most are in the same.
    func inItsDirectory(
        _ last: inout (identity: FileStatus.Identity, directory: Directory)?
    ) throws -> FileJob {
        // An operand stays open.
        guard let directory, !directory.path.isEmpty, let name = input.nameBytes else {
            return self
        }
        if last?.identity != directory.identity {
            last = (directory.identity, try directory.opened())
        }
        guard let opened = last?.directory else { return self }
        var job = self
        job.input = .pathBytes(name, below: opened)
        if let nameBesideInput { job.output = .pathBytes(nameBesideInput, below: opened) }
        return job
    }
}
