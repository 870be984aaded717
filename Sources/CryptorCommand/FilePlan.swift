import CryptorFiles
import CryptorSystem

/// A file that is read, and where its output goes.
struct FileJob {
    let input: FileEndpoint
    /// Nil if nothing is written, as by `verify`, or if ``failure`` says why there is no output.
    var output: FileEndpoint?
    /// Why the file cannot be worked on, if that is known beforehand.
    var failure: CommandError?
}

/// All files of a run. The command first looks at every input and output, without opening any, and sorts out those that
/// cannot be right before a password is asked for and before anything is written. Then it works on one file after the
/// other.
struct FilePlan {
    private var jobs: [FileJob]
    private let overwrites: Bool
    private let replacesInputs: Bool
    /// How many files are left out, because their outputs exist.
    let skippedCount: Int
    var isEmpty: Bool { jobs.isEmpty }
    private let secrets: Set<FileStatus.Identity>
    private var inputs: [Place: FileEndpoint] = [:]
    /// Each output with its input.
    private var outputs: [Place: FileEndpoint] = [:]

    // MARK: Looks

    /// - Parameters:
    ///   - secrets: the files and descriptors that secrets are read from.
    ///   - overwrites: whether an output may replace a file.
    ///   - skipsExisting: whether a file whose output exists is left out.
    ///   - replacesInputs: whether each output replaces its own input.
    /// - Throws: what is wrong with the files, if none of them can be worked on.
    init(
        _ jobs: [FileJob], secrets: [FileEndpoint] = [], overwrites: Bool = false, skipsExisting: Bool = false,
        replacesInputs: Bool = false
    ) throws(CommandError) {
        self.jobs = jobs.filter { !skipsExisting || $0.output?.isExistingFile != true }
        skippedCount = jobs.count - self.jobs.count
        self.overwrites = overwrites
        self.replacesInputs = replacesInputs
        self.secrets = Set(secrets.compactMap { $0.currentStatus?.identity })
        for job in jobs { Place(job.input).map { inputs[$0] = job.input } }
        for (index, job) in self.jobs.enumerated() where job.failure == nil {
            if Interruption.signal != 0 { throw .interrupted }
            do throws(CommandError) { try check(job) } catch { self.jobs[index].failure = error }
        }
        if !isEmpty, self.jobs.allSatisfy({ $0.failure != nil }) { try run { _, _ in } }
    }

    private static let readElsewhere = "Leave it out, or read the secret from elsewhere."

    private mutating func check(_ job: FileJob) throws(CommandError) {
        let input = job.input
        if input.isMissing {
            throw CommandError(.noInput, "\(input): It cannot be opened: \(SystemError(number: ENOENT)).")
        }
        if input.isFolder {
            let hint =
                "--recursive works on the files in a folder; 'tar c FOLDER | rncryptor encrypt' makes it one message."
            throw CommandError(
                .noInput, "\(input): It cannot be opened: \(SystemError.isFolder).",
                hint: input.descriptor == nil ? hint : nil)
        }
        if let identity = input.currentStatus?.identity, secrets.contains(identity) {
            throw CommandError(
                .noInput, "\(input): It holds the password or the keys, and is also an input.", hint: Self.readElsewhere
            )
        }
        if let output = job.output { try check(output, from: input) }
    }

    /// An output must not be an input, the output for another input, or a secret.
    private mutating func check(_ output: FileEndpoint, from input: FileEndpoint) throws(CommandError) {
        func refused(_ reason: String, hint: String? = nil) -> CommandError {
            CommandError(.cannotCreate, "\(output): \(reason)", hint: hint)
        }
        guard let place = Place(output) else {
            guard output.isMissing, output.pathBytes?.isEmpty == false else { return }
            throw refused("Its folder does not exist. Make the folder first, or name another.")
        }
        if case .file(let identity) = place, secrets.contains(identity) {
            throw refused("It holds the password or the keys, and would be overwritten.", hint: Self.readElsewhere)
        }
        let isOwnInput = place == Place(input)
        if isOwnInput, !replacesInputs { throw refused("It is both the source and the destination.") }
        if let other = outputs[place] { throw refused("It would be the output for \(other) and for \(input).") }
        if !isOwnInput, !overwrites, output.isExistingFile {
            let hint = jobs.count > 1 ? " --skip-existing leaves such files alone." : ""
            throw refused("It exists and was not touched.", hint: CommandError.overwriting + hint)
        }
        if !isOwnInput, let other = inputs[place] {
            throw refused("The output for \(input) would overwrite the input \(other).")
        }
        outputs[place] = input
    }

    /// An existing file or pipe, whatever name leads to it; or a name under which a file can be created.
    private enum Place: Hashable {
        case file(FileStatus.Identity)
        case name([UInt8], inFolder: FileStatus.Identity)

        /// Nil for a folder, for a character device or a socket, which may well be both read and written, and for a path
        /// where no file can be created.
        init?(_ endpoint: FileEndpoint) {
            if let status = endpoint.currentStatus {
                guard [.regular, .fifo, .blockDevice].contains(status.kind) else { return nil }
                self = .file(status.identity)
            } else {
                guard let name = endpoint.nameBytes, let folder = try? endpoint.folderStatus() else { return nil }
                self = .name(name, inFolder: folder.identity)
            }
        }
    }

    // MARK: Work

    /// Calls `work` for each file and its index. If one fails, its failure is reported and the work on the others goes
    /// on.
    /// - Throws: for one file, its failure. For several, an error with the number of failures, and with the status of
    ///   the first. After a signal, `interrupted`.
    func run(_ work: (FileJob, Int) throws(CommandError) -> Void) throws(CommandError) {
        var (first, count) = (CommandError?.none, 0)
        for (index, job) in jobs.enumerated() {
            do throws(CommandError) {
                if Interruption.signal != 0 { throw .interrupted }
                if let failure = job.failure { throw failure }
                try work(job, index)
            } catch {
                guard jobs.count > 1, !error.isSilent else { throw error }
                guard error.status != .interrupted else {
                    throw CommandError(
                        .interrupted,
                        "\(error.message). \(index - count) of \(jobs.count) files are done; \(job.input) is the first "
                            + "that was not reached.")
                }
                Report.complain(error)
                first = first ?? error
                count += 1
            }
        }
        if let first { throw CommandError(first.status, "\(count) of \(jobs.count) files failed, see above") }
    }
}
