import CryptorDiagnosis
import CryptorFiles
import CryptorSystem

/// All files of a run. The command first looks at every input and output, and sorts out those that
/// cannot be right before a password is asked for and before anything is written. It opens none for
/// that, but outputs that exist, and their inputs, to see whether they may be skipped. Then it
/// works on one file after the other.
struct FilePlan {
    /// Why an output that exists is not finished, as a sentence; nil if it is.
    typealias FlawCheck = (_ job: FileJob, _ output: FileEndpoint) throws -> String?

    private(set) var jobs: [FileJob]
    private let overwrites: Bool
    private let removesSources: Bool
    private let checkExisting: FlawCheck?
    private let secrets: Set<FileStatus.Identity>
    private let hintForDirectory: String?
    private var inputs: [Place: FileEndpoint] = [:]
    /// Each output with its input.
    private var outputs: [Place: FileEndpoint] = [:]
    /// Each input with its output, if inputs are removed.
    private var sources: [Place: FileEndpoint] = [:]

    // MARK: Looks

    /// - Parameters:
    ///   - secrets: the files and descriptors that secrets are read from.
    ///   - overwrites: whether an output that exists is overwritten.
    ///   - removesSources: whether inputs are removed once they have an output.
    ///   - hintForDirectory: what to do if an input is a directory.
    ///   - isReportedByCaller: whether the caller goes through ``jobs`` and reports their failures.
    ///   - checkExisting: whether such an output is finished, so that nothing is to be written. If
    ///     this is nil, and nothing is overwritten, no output may exist.
    /// - Throws: what is wrong with the files, if none of them can be worked on.
    init(
        _ jobs: [FileJob],
        secrets: [FileEndpoint] = [],
        overwrites: Bool = false,
        removesSources: Bool = false,
        hintForDirectory: String? = FilePlan.hintForDirectory,
        isReportedByCaller: Bool = false,
        flawOfExisting checkExisting: FlawCheck? = nil
    ) throws {
        self.jobs = jobs
        self.overwrites = overwrites
        self.removesSources = removesSources
        self.checkExisting = checkExisting
        self.hintForDirectory = hintForDirectory
        self.secrets = Set(secrets.compactMap { $0.currentStatus?.identity })
        for job in jobs {
            guard let place = Place(job.input) else { continue }
            inputs[place] = job.input
        }
        for index in jobs.indices where jobs[index].failure == nil {
            if Interruption.signal != 0 { throw CommandError.interrupted }
            do {
                try checkInput(jobs[index].input)
                try checkOutput(index)
            } catch {
                self.jobs[index].failure = CommandError(error)
            }
        }
        if !isReportedByCaller { try reportIfAllFailed() }
    }

    /// - Throws: what is wrong with the files, if none of them can be worked on.
    private func reportIfAllFailed() throws {
        if jobs.allSatisfy({ $0.failure != nil }) { try run { _, _ in } }
    }

    /// Looks at the headers of messages in regular files, before a password is asked for that would
    /// be typed in vain. What is not a regular file is neither opened nor waited for.
    /// - Parameters:
    ///   - openingKeys: whether keys are known that may open a message.
    ///   - accepted: which versions are read.
    mutating func lookAtMessages(
        openingKeys: Bool = false, _ accepted: AcceptedVersions
    ) throws {
        let options = accepted.applied(to: FileOptions(base64: true))
        for index in jobs.indices where jobs[index].failure == nil {
            let input = jobs[index].input
            // Of a finished output, the source is only read if it is to be removed.
            guard input.isExistingFile, removesSources || jobs[index].isUnfinished else {
                continue
            }
            do throws(CryptorError) {
                let found = try Cryptor.inspectAnyVersion(
                    input, accepting: accepted.inFull, options, progress: Interruption.check)
                guard case .message(let inspection) = found else { continue }
                if let error = inspection.shapeError {
                    jobs[index].failure = CommandError(error, in: input)
                    continue
                }
                guard !inspection.header.usesPassword, !openingKeys else { continue }
                jobs[index].failure = CommandError(
                    .malformed, "\(input): It was encrypted with keys, so no password opens it.",
                    hint: "Use --key-file.")
            } catch {
                if error.code == .cancelled { throw error }
                jobs[index].failure = CommandError(error)
            }
        }
        try reportIfAllFailed()
    }

    /// How many outputs existed before the run, and are finished.
    var finishedCount: Int { jobs.count { $0.hasFinishedOutput } }

    /// Whether there is a file whose output is to be written.
    var hasUnfinished: Bool { jobs.contains { $0.isUnfinished } }

    /// The output may be the only good copy.
    static let hintForOtherOutput =
        "Check which of the two is right. To write the output again, move it away first."
    static let hintForDirectory = "Use --recursive to work on its files."
    private static let elsewhere = "Leave it out, or read the secret from another file."

    private func checkInput(_ input: FileEndpoint) throws(CommandError) {
        if input.isMissing {
            throw CommandError(
                .noInput, "\(input): It cannot be opened: \(SystemError(number: ENOENT)).",
                hint: Self.hint(forMissing: input))
        }
        if input.isDirectory {
            throw CommandError(
                .noInput, "\(input): It is a directory.",
                hint: input.descriptor == nil ? hintForDirectory : nil)
        }
        if let identity = input.currentStatus?.identity, secrets.contains(identity) {
            throw CommandError(
                .noInput,
                "\(input): It is an input, but also holds the password or the keys.",
                hint: Self.elsewhere)
        }
    }

    /// For an operand that is not the name of a file, but what the file would hold.
    private static func hint(forMissing input: FileEndpoint) -> String? {
        let bytes = input.pathBytes ?? []
        // No message is shorter in base64 text, and no name so long has nothing else in it.
        if bytes.count >= 88, MessageHeader.isBase64Text(bytes) {
            return """
                If this is the message itself, pipe it: printf %s "$MESSAGE" | rncryptor decrypt
                """
        }
        guard bytes.starts(with: "age1".utf8) else { return nil }
        return "The format has no public keys. Use a password or a shared key: see --key-file."
    }

    /// Checks that the output of a job is not an input, the output for another input, or a secret,
    /// and whether it exists.
    private mutating func checkOutput(_ index: Int) throws {
        let job = jobs[index]
        let input = job.input
        guard let output = job.output else { return }
        func refused(_ reason: String, hint: String? = nil) -> CommandError {
            CommandError(.cannotCreate, "\(output): \(reason)", hint: hint)
        }
        if output.isDirectory { throw refused("It is a directory.") }
        // Of an output in a directory that is still to be made, only the path can be compared.
        let unmade = job.pathBelowDirectory.map { _ in Place.path(output.pathBytes ?? []) }
        guard let place = Place(output) ?? unmade else {
            guard output.isMissing, output.pathBytes?.isEmpty == false else { return }
            throw refused(
                "Its directory does not exist. Create it first, or choose another.")
        }
        if case .file(let identity) = place, secrets.contains(identity) {
            throw refused(
                "It is an output, but also holds the password or the keys.", hint: Self.elsewhere)
        }
        guard place != Place(input) else {
            throw refused("It is both the source and the destination. Choose another destination.")
        }
        if let other = outputs[place] {
            throw refused(
                other.description == input.description
                    ? "It would be the output for \(input), which is given twice."
                    : "It would be the output for both \(other) and \(input).")
        }
        if let other = inputs[place] {
            throw refused("It would be the output for \(input), but is also the input \(other).")
        }
        if removesSources, let source = Place(input) {
            if let other = sources[source] {
                throw refused(
                    """
                    Its source \(input) is also that of \(other): one file, given twice or linked.
                    """,
                    hint: """
                        Leave out one of them, or --remove-source. A copy is a file of its own.
                        """)
            }
            sources[source] = output
        }
        let exists = output.isExistingFile
        if exists, !overwrites, checkExisting == nil {
            var error = CommandError(output.existsAlready)
            if jobs.count > 1 {
                error.hint =
                    "Use --force to overwrite it, or --skip-existing to skip finished outputs."
            }
            throw error
        }
        outputs[place] = input
        if exists, let checkExisting {
            if let flaw = try checkExisting(job, output) {
                throw refused(flaw, hint: Self.hintForOtherOutput)
            }
            jobs[index].hasFinishedOutput = true
        }
    }

    /// An existing file or pipe, whatever name leads to it; or a name under which a file can be
    /// created; or a path.
    private enum Place: Hashable {
        case file(FileStatus.Identity)
        case name([UInt8], inDirectory: FileStatus.Identity)
        case path([UInt8])

        /// Nil for a directory, for a character device or a socket, which may well be both read and
        /// written, and for a path where no file can be created.
        init?(_ endpoint: FileEndpoint) {
            if let status = endpoint.currentStatus {
                guard [.regular, .fifo, .blockDevice].contains(status.kind) else { return nil }
                self = .file(status.identity)
                return
            }
            guard let name = endpoint.nameBytes, let directory = endpoint.directory.currentStatus
            else { return nil }
            self = .name(name, inDirectory: directory.identity)
        }
    }

    // MARK: Work

    /// Calls `work` for each file, whether or not its output is finished, and its index. If one
    /// fails, its failure is reported and the work on the others goes on.
    /// - Parameter whenFailed: is told of each file that fails, before its failure is reported.
    /// - Throws: for one file, its failure. For several, an error with the number of failures, and
    ///   with the status of the first. After a signal, `interrupted`.
    func run(
        _ work: (FileJob, Int) throws -> Void,
        whenFailed: (FileJob, Int, CommandError) throws -> Void = { _, _, _ in }
    ) throws {
        var firstFailure: CommandError?
        var failureCount = 0
        var hints: Set<String> = []
        var lastDirectory: (identity: FileStatus.Identity, directory: Directory)?
        for (index, job) in jobs.enumerated() {
            do {
                if Interruption.signal != 0 { throw CommandError.interrupted }
                if let failure = job.failure { throw failure }
                try work(try job.inItsDirectory(&lastDirectory), index)
            } catch {
                var error = Self.namingForeignFile(CommandError(error), job.input)
                if error.status != .interrupted { try whenFailed(job, index, error) }
                guard jobs.count > 1, !error.isSilent else { throw error }
                guard error.status != .interrupted else {
                    throw interrupted(error, at: job, doneCount: index - failureCount)
                }
                // A hint for all of them is given once.
                if let hint = error.hint, !hints.insert(hint).inserted { error.hint = nil }
                Report.complain(error)
                firstFailure = firstFailure ?? error
                failureCount += 1
            }
        }
        guard let firstFailure else { return }
        throw CommandError(
            firstFailure.status, "\(failureCount) of \(jobs.count) files failed, see above")
    }

    /// The error of a file that starts like no message, with what it is if that is known. What is
    /// not a regular file cannot be read again.
    private static func namingForeignFile(
        _ error: CommandError, _ file: FileEndpoint
    ) -> CommandError {
        guard error.mayBeForeignFile, file.isExistingFile,
            let start = try? file.firstBytes(4096, progress: Interruption.check),
            let hint = ForeignStart.ofMagic(start)
        else { return error }
        return CommandError(error.status, error.message, hint: hint)
    }

    private func interrupted(
        _ error: CommandError, at job: FileJob, doneCount: Int
    ) -> CommandError {
        // Outputs that the run was to overwrite exist without being done.
        let isResumable = job.output != nil && !overwrites
        let next =
            isResumable
            ? "to continue, repeat the command with --skip-existing" : "the next is \(job.input)"
        return CommandError(
            .interrupted,
            "\(error.message). \(doneCount) of \(jobs.count) files done; \(next).")
    }
}
