import CryptorFiles

/// A file that is read, and where its output goes.
struct FileJob {
    let input: FileEndpoint
    /// Nil if nothing is written, as by `verify`, or if ``failure`` says why there is no output.
    let output: FileEndpoint?
    /// Why the file cannot be worked on, if that is known beforehand.
    var failure: CommandError?
}

/// All files of a run. The command first looks at every input and output, without opening any, and refuses what cannot
/// be right before a password is asked for and before anything is written. Then it works on one file after the other.
struct FilePlan {
    private(set) var jobs: [FileJob]

    // MARK: Looks

    /// - Parameters:
    ///   - secrets: the files and descriptors that secrets are read from; nil for those from elsewhere.
    ///   - overwrites: whether an output may replace a file.
    ///   - replacesInputs: whether each output replaces its own input.
    ///   - leftAlone: other files that were named and that nothing is done with, so no output may replace them.
    /// - Throws: what is wrong with the whole run, so that nothing must be done; or what is wrong with the files, if
    ///   none of them can be worked on.
    init(
        _ jobs: [FileJob], secrets: [FileEndpoint?] = [], overwrites: Bool = false, replacesInputs: Bool = false,
        leftAlone: [FileEndpoint] = []
    ) throws(CommandError) {
        self.jobs = jobs
        try refuseSecretsAmongInputs(secrets)
        try refuseStreamsNamedTwice()
        for index in jobs.indices where jobs[index].failure == nil {
            if Interruption.signal != nil { throw .interrupted }
            self.jobs[index].failure = Self.failure(ofReading: jobs[index].input)
        }
        try checkOutputs(
            Set(secrets.compactMap { $0.flatMap(Place.init) }), overwrites: overwrites, replacesInputs: replacesInputs,
            leftAlone)
        if !jobs.isEmpty, self.jobs.allSatisfy({ $0.failure != nil }) { try run { _, _ in } }
    }

    private func refuseSecretsAmongInputs(_ secrets: [FileEndpoint?]) throws(CommandError) {
        // A character device or a socket may hold a secret as well.
        let secrets = Set(secrets.compactMap { $0?.status?.identity })
        for job in jobs {
            guard let identity = job.input.status?.identity, secrets.contains(identity) else { continue }
            throw job.input == .standardInput
                ? .usage("standard input is the data, so the secret cannot come from there as well")
                : Self.refusal("\(job.input): It holds the password or the keys, and is among the inputs.")
        }
    }

    /// Each would get a part of the stream.
    private func refuseStreamsNamedTwice() throws(CommandError) {
        var streams: Set<FileIdentity> = []
        for job in jobs where job.input.isStream {
            guard let identity = job.input.status?.identity, !streams.insert(identity).inserted else { continue }
            throw Self.refusal("\(job.input): It is named twice, and can be read only once.")
        }
    }

    private static func failure(ofReading input: FileEndpoint) -> CommandError? {
        if input.isMissing {
            return CommandError(.noInput, "\(input): It cannot be opened: \(systemMessage(ENOENT)).")
        }
        guard input.isFolder else { return nil }
        return CommandError(
            .noInput, "\(input): It cannot be opened: \(systemMessage(EISDIR)).",
            hint: input.descriptor == nil ? "--recursive works on the files in a folder." : nil)
    }

    /// An output must not be one of the inputs, the output for another input, or a secret. If another user may have
    /// caused that, by what was found in a folder, only that file fails, and not the whole run.
    private mutating func checkOutputs(
        _ secrets: Set<Place>, overwrites: Bool, replacesInputs: Bool, _ leftAlone: [FileEndpoint]
    ) throws(CommandError) {
        var inputs: [Place: FileEndpoint] = [:]
        for file in leftAlone + jobs.map(\.input) { Place(file).map { inputs[$0] = file } }
        var outputs: [Place: FileEndpoint] = [:]
        for (index, job) in jobs.enumerated() {
            guard job.failure == nil, let output = job.output else { continue }
            if Interruption.signal != nil { throw .interrupted }
            guard let place = Place(output) else {
                jobs[index].failure = Self.failure(ofCreating: output)
                continue
            }
            guard !secrets.contains(place) else {
                throw Self.refusal("\(output): It holds the password or the keys, and would be written over.")
            }
            let isOwnInput = place == Place(job.input)
            let exists = output.descriptor == nil && output.status?.kind == S_IFREG && !(isOwnInput && replacesInputs)
            let conflict: (other: FileEndpoint, sentence: String)?
            if isOwnInput, !replacesInputs {
                conflict = (job.input, "It is both the source and the destination.")
            } else if let other = outputs[place] {
                conflict = (other, "It would be the output for \(other) and for \(job.input).")
            } else if exists, !overwrites {
                jobs[index].failure = CommandError(
                    .cannotCreate, "\(output): It exists and was not touched.", hint: CommandError.overwriting)
                continue
            } else if !isOwnInput, let other = inputs[place] {
                conflict = (other, "The output for \(job.input) would take the place of the input \(other).")
            } else {
                conflict = nil
            }
            guard let conflict else {
                outputs[place] = job.input
                continue
            }
            guard job.input.placeBelow != nil || conflict.other.placeBelow != nil else {
                throw CommandError(.cannotCreate, "\(output): \(conflict.sentence) Nothing was done.")
            }
            jobs[index].failure = CommandError(
                .cannotCreate, "\(output): \(conflict.sentence) Nothing was done with \(job.input).")
        }
    }

    /// For an output that is no file and cannot become one.
    private static func failure(ofCreating output: FileEndpoint) -> CommandError? {
        if output.isDanglingLink {
            // By the time that it is written, the link may lead to the output of another job.
            return CommandError(
                .cannotCreate,
                "\(output): It is a symbolic link to a file that does not exist. Remove the link, or name the file itself."
            )
        }
        guard output.isMissing, let path = output.pathBytes,
            FileEndpoint.pathBytes(PathParts(path).folder).isMissing
        else { return nil }
        return CommandError(
            .cannotCreate,
            "\(output): It would be in a folder that does not exist. Make the folder first, or name another.")
    }

    private static func refusal(_ sentence: String) -> CommandError {
        .usage("\(sentence) Nothing was done.", hint: "Leave it out, or run it by itself.")
    }

    /// An existing file or pipe, whatever name leads to it; or a name under which a file can be created.
    private enum Place: Hashable {
        case file(FileIdentity)
        case name([UInt8], inFolder: FileIdentity)

        /// Nil for a folder, for a character device or a socket, which may well be both read and written, and for a path
        /// where no file can be created.
        init?(_ endpoint: FileEndpoint) {
            if let (kind, identity) = endpoint.status {
                let isLink = kind == S_IFLNK && endpoint.placeBelow != nil
                guard [S_IFREG, S_IFIFO, S_IFBLK].contains(kind) || isLink else { return nil }
                self = .file(identity)
                return
            }
            guard let path = endpoint.pathBytes, !endpoint.isDanglingLink else { return nil }
            let parts = PathParts(path)
            let folder =
                if let (root, path) = endpoint.placeBelow {
                    try? root.identityOfFolder(containing: path)
                } else {
                    FileEndpoint.pathBytes(parts.folder).status?.identity
                }
            guard !parts.name.isEmpty, let folder else { return nil }
            self = .name(parts.name, inFolder: folder)
        }
    }

    // MARK: Work

    /// Whether the work can be done again after a wrong password: there is one file, which can be read again, and the
    /// output is no FIFO, whose reader would have left.
    var mayBeRepeated: Bool {
        jobs.count == 1 && !jobs[0].input.isStream && jobs[0].output?.isFIFOWithName != true
    }

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
                guard jobs.count > 1 else { throw error }
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
            throw CommandError(first.status, "\(failures.count) of \(jobs.count) files failed, as said above")
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
    }
}
