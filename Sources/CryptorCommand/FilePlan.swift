import CryptorFiles
import CryptorSystem

/// All files of a run. The command first looks at every input and output, and sorts out those that
/// cannot be right before a password is asked for and before anything is written. It opens none for
/// that, but outputs that exist, and their inputs, to see whether they may be skipped. Then it
/// works on one file after the other.
struct FilePlan {
    private var jobs: [FileJob]
    private let overwrites: Bool
    private let checkExisting: ((FileJob, FileEndpoint) throws(CommandError) -> Void)?
    private let secrets: Set<FileStatus.Identity>
    private var inputs: [Place: FileEndpoint] = [:]
    /// Each output with its input.
    private var outputs: [Place: FileEndpoint] = [:]

    // MARK: Looks

    /// - Parameters:
    ///   - secrets: the files and descriptors that secrets are read from.
    ///   - overwrites: whether an output that exists is overwritten.
    ///   - checkExisting: whether such an output is finished, so that nothing is to be written:
    ///     throws if it is not. If this is nil, and nothing is overwritten, no output may exist.
    /// - Throws: what is wrong with the files, if none of them can be worked on.
    init(
        _ jobs: [FileJob], secrets: [FileEndpoint] = [], overwrites: Bool = false,
        skippingIf checkExisting: ((FileJob, FileEndpoint) throws(CommandError) -> Void)? = nil
    ) throws(CommandError) {
        self.jobs = jobs
        self.overwrites = overwrites
        self.checkExisting = checkExisting
        self.secrets = Set(secrets.compactMap { $0.currentStatus?.identity })
        for job in jobs { Place(job.input).map { inputs[$0] = job.input } }
        for index in jobs.indices where jobs[index].failure == nil {
            if Interruption.signal != 0 { throw .interrupted }
            do throws(CommandError) { try check(index) } catch { self.jobs[index].failure = error }
        }
        if self.jobs.allSatisfy({ $0.failure != nil }) { try run { _, _ in } }
    }

    private static let elsewhere = "Leave it out, or read the secret from elsewhere."

    /// How many outputs existed before the run, and are finished.
    var doneCount: Int { jobs.count { $0.isDone } }

    /// Whether there is a file whose output is to be written.
    var hasUnfinished: Bool { jobs.contains { $0.failure == nil && !$0.isDone } }

    private mutating func check(_ index: Int) throws(CommandError) {
        let job = jobs[index]
        let input = job.input
        if input.isMissing {
            throw CommandError(
                .noInput, "\(input): It cannot be opened: \(SystemError(number: ENOENT)).")
        }
        if input.isFolder {
            let hint =
                "--recursive works on its files; 'tar c FOLDER | rncryptor encrypt' makes one message of it."
            throw CommandError(
                .noInput, "\(input): It cannot be opened: \(SystemError.isFolder).",
                hint: input.descriptor == nil ? hint : nil)
        }
        if let identity = input.currentStatus?.identity, secrets.contains(identity) {
            throw CommandError(
                .noInput, "\(input): It holds the password or the keys, and is also an input.",
                hint: Self.elsewhere)
        }
        // An output must not be an input, the output for another input, or a secret.
        guard let output = job.output else { return }
        func refused(_ reason: String, hint: String? = nil) -> CommandError {
            CommandError(.cannotCreate, "\(output): \(reason)", hint: hint)
        }
        guard let place = Place(output) else {
            guard output.isMissing, output.pathBytes?.isEmpty == false else { return }
            throw refused("Its folder does not exist. Make the folder first, or name another.")
        }
        if case .file(let identity) = place, secrets.contains(identity) {
            throw refused(
                "It holds the password or the keys, and is also an output.", hint: Self.elsewhere)
        }
        guard place != Place(input) else {
            throw refused("It is both the source and the destination. Choose another destination.")
        }
        if let other = outputs[place] {
            throw refused("It would be the output for \(other) and for \(input).")
        }
        if let other = inputs[place] {
            throw refused("It is the output for \(input), and also the input \(other).")
        }
        let exists = output.isExistingFile
        if exists, !overwrites, checkExisting == nil {
            let hint = jobs.count > 1 ? " --skip-existing leaves it alone if it is finished." : ""
            throw refused("It exists and was not touched.", hint: CommandError.overwriting + hint)
        }
        outputs[place] = input
        if exists, let checkExisting {
            try checkExisting(job, output)
            jobs[index].isDone = true
        }
    }

    /// An existing file or pipe, whatever name leads to it; or a name under which a file can be
    /// created.
    private enum Place: Hashable {
        case file(FileStatus.Identity)
        case name([UInt8], inFolder: FileStatus.Identity)

        /// Nil for a folder, for a character device or a socket, which may well be both read and
        /// written, and for a path where no file can be created.
        init?(_ endpoint: FileEndpoint) {
            if let status = endpoint.currentStatus {
                guard [.regular, .fifo, .blockDevice].contains(status.kind) else { return nil }
                self = .file(status.identity)
            } else {
                guard let name = endpoint.nameBytes, let folder = try? endpoint.folderStatus()
                else { return nil }
                self = .name(name, inFolder: folder.identity)
            }
        }
    }

    // MARK: Work

    /// Calls `work` for each file, done or not, and its index. If one fails, its failure is
    /// reported and the work on the others goes on.
    /// - Throws: for one file, its failure. For several, an error with the number of failures, and
    ///   with the status of the first. After a signal, `interrupted`.
    func run(_ work: (FileJob, Int) throws(CommandError) -> Void) throws(CommandError) {
        var first = CommandError?.none
        var count = 0
        for (index, job) in jobs.enumerated() {
            do throws(CommandError) {
                if Interruption.signal != 0 { throw .interrupted }
                if let failure = job.failure { throw failure }
                try work(job, index)
            } catch {
                guard jobs.count > 1, !error.isSilent else { throw error }
                guard error.status != .interrupted else {
                    let done = "\(index - count) of \(jobs.count) files are done"
                    throw CommandError(
                        .interrupted,
                        "\(error.message). \(done); \(job.input) is the first that was not reached."
                    )
                }
                Report.complain(error)
                first = first ?? error
                count += 1
            }
        }
        if let first {
            throw CommandError(first.status, "\(count) of \(jobs.count) files failed, see above")
        }
    }
}

/// What is there now. It is only looked at and never opened: a FIFO would wait for its writer.
extension FileEndpoint {
    /// Links are followed, but not below a folder. Nil if nothing is there, or the status cannot be
    /// read.
    var currentStatus: FileStatus? { (try? status()) ?? nil }

    var isExistingFile: Bool { descriptor == nil && currentStatus?.kind == .regular }

    var isFolder: Bool { currentStatus?.kind == .folder }

    /// A path is taken for what its user wants, even if it leads to a terminal.
    var isTerminal: Bool { descriptor.map { isatty($0) == 1 } ?? false }

    /// Whether its readers see at once what is written to it: a descriptor, a pipe or a device.
    var isStream: Bool {
        descriptor != nil
            || currentStatus.map { ![.regular, .folder, .symbolicLink].contains($0.kind) } ?? false
    }

    var isReadableByOthers: Bool {
        currentStatus.map { $0.kind == .regular && $0.mode & 0o044 != 0 } ?? false
    }

    /// Whether it is certain that nothing is there.
    var isMissing: Bool {
        do throws(CryptorError) { return try status() == nil } catch {
            return error.systemErrorNumber == ENOENT
        }
    }
}

extension Collection<UInt8> {
    /// Whether it ends in `ending` and is longer than that.
    func hasEnding(_ ending: [UInt8]) -> Bool {
        count > ending.count && suffix(ending.count).elementsEqual(ending)
    }
}
