import CryptorFiles
import CryptorSystem

/// A file that is read, and where its output goes.
struct FileJob {
    let input: FileEndpoint
    /// Nil if nothing is written, as by `verify`, or if ``failure`` says why there is no output.
    let output: FileEndpoint?
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
    ///   - secrets: the files and descriptors that secrets are read from; nil for those from elsewhere.
    ///   - overwrites: whether an output may replace a file.
    ///   - skipsExisting: whether a file whose output exists is left out.
    ///   - replacesInputs: whether each output replaces its own input.
    /// - Throws: what is wrong with the files, if none of them can be worked on.
    init(
        _ jobs: [FileJob], secrets: [FileEndpoint?] = [], overwrites: Bool = false, skipsExisting: Bool = false,
        replacesInputs: Bool = false
    ) throws(CommandError) {
        self.jobs = jobs.filter { !skipsExisting || !($0.output?.isExistingFile ?? false) }
        skippedCount = jobs.count - self.jobs.count
        self.overwrites = overwrites
        self.replacesInputs = replacesInputs
        self.secrets = Set(secrets.compactMap { $0?.currentStatus?.identity })
        for job in jobs { Place(job.input).map { inputs[$0] = job.input } }
        for (index, job) in self.jobs.enumerated() where job.failure == nil {
            if Interruption.signal != nil { throw .interrupted }
            do throws(CommandError) { try check(job) } catch { self.jobs[index].failure = error }
        }
        if !isEmpty, self.jobs.allSatisfy({ $0.failure != nil }) { try run { _, _ in } }
    }

    private mutating func check(_ job: FileJob) throws(CommandError) {
        if job.input.isMissing {
            throw CommandError(.noInput, "\(job.input): It cannot be opened: \(systemMessage(ENOENT)).")
        }
        if job.input.isFolder {
            throw CommandError(
                .noInput, "\(job.input): It cannot be opened: \(systemMessage(EISDIR)).",
                hint: job.input.descriptor == nil
                    ? "--recursive works on the files in a folder; 'tar c FOLDER | rncryptor encrypt' makes it one message."
                    : nil)
        }
        if let identity = job.input.currentStatus?.identity, secrets.contains(identity) {
            throw CommandError(
                .noInput, "\(job.input): It holds the password or the keys, and is also an input.",
                hint: "Leave it out, or read the secret from elsewhere.")
        }
        if let output = job.output { try check(output, from: job.input) }
    }

    /// An output must not be an input, the output for another input, or a secret.
    private mutating func check(_ output: FileEndpoint, from input: FileEndpoint) throws(CommandError) {
        guard let place = Place(output) else {
            guard output.isMissing, output.pathBytes?.isEmpty == false else { return }
            throw CommandError(
                .cannotCreate,
                "\(output): Its folder does not exist. Make the folder first, or name another.")
        }
        if case .file(let identity) = place, secrets.contains(identity) {
            throw CommandError(
                .cannotCreate, "\(output): It holds the password or the keys, and would be overwritten.",
                hint: "Leave it out, or read the secret from elsewhere.")
        }
        let isOwnInput = place == Place(input)
        if isOwnInput, !replacesInputs {
            throw CommandError(.cannotCreate, "\(output): It is both the source and the destination.")
        }
        if let other = outputs[place] {
            throw CommandError(.cannotCreate, "\(output): It would be the output for \(other) and for \(input).")
        }
        if !isOwnInput, !overwrites, output.isExistingFile {
            let hint = jobs.count > 1 ? " --skip-existing leaves such files alone." : ""
            throw CommandError(
                .cannotCreate, "\(output): It exists and was not touched.", hint: CommandError.overwriting + hint)
        }
        if !isOwnInput, let other = inputs[place] {
            throw CommandError(
                .cannotCreate, "\(output): The output for \(input) would overwrite the input \(other).")
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
                // A link that is not followed is one below a folder; a closed stream may be one, too.
                let kinds: Set<FileStatus.Kind> = [.regular, .fifo, .blockDevice, .symbolicLink]
                guard kinds.contains(status.kind), endpoint.descriptor == nil || status.kind != .symbolicLink else {
                    return nil
                }
                self = .file(status.identity)
                return
            }
            guard let name = endpoint.nameBytes, let folder = try? endpoint.folderStatus() else { return nil }
            self = .name(name, inFolder: folder.identity)
        }
    }

    // MARK: Work

    /// Calls `work` for each file and its index. If one fails, its failure is reported and the work on the others goes
    /// on.
    /// - Throws: for one file, its failure. For several, an error with the number of failures, and with the status of
    ///   the first. After a signal, `interrupted`.
    func run(_ work: (FileJob, Int) throws(CommandError) -> Void) throws(CommandError) {
        var failures: [CommandError] = []
        for (index, job) in jobs.enumerated() {
            do throws(CommandError) {
                if Interruption.signal != nil { throw .interrupted }
                if let failure = job.failure { throw failure }
                try work(job, index)
            } catch {
                let error = error.hinting(at: job.input)
                guard jobs.count > 1, !error.isSilent else { throw error }
                guard error.status != .interrupted else {
                    throw CommandError(
                        .interrupted,
                        "\(error.message). \(index - failures.count) of \(jobs.count) files are done; \(job.input) is the "
                            + "first that was not reached.")
                }
                Report.complain(error)
                failures.append(error)
            }
        }
        if let first = failures.first {
            throw CommandError(first.status, "\(failures.count) of \(jobs.count) files failed, see above")
        }
    }
}

extension CommandError {
    /// Takes over an error of the library's functions that write an output.
    /// - Parameter wasStream: whether the output was a stream before the work, since its name may be gone by now. This
    ///   is checked again here, since a stream may have taken the name while the input was awaited.
    init(_ error: CryptorError, writingTo output: FileEndpoint, wasStream: Bool) {
        let isStream = wasStream || output.isStream
        self = error.code == .cancelled && isStream ? .interrupted(writingTo: output) : CommandError(error)
        isSilent = error.systemErrorNumber == EPIPE && output.descriptor == STDOUT_FILENO
    }
}
