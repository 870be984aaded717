import CryptorFormat

/// What a run reads and writes, looked at as a whole before anything is written: no file of it may be the output of two
/// others, nor an output and something that is still to be read.
struct FilePlan {
    /// A file or a pipe, whatever its names; or the place for a file.
    private enum Place: Hashable {
        case file(FileIdentity)
        case name([UInt8], inFolder: FileIdentity)
    }

    /// The secrets that are read from files.
    let secrets: [FileEndpoint]
    /// Inputs that nothing is done with.
    var leftAlone: [FileEndpoint] = []

    /// - Parameter replacesInputs: whether an output may be its own input, and take its place.
    /// - Returns: what is wrong with jobs that would harm others, by their inputs, where one of the two was found in a folder: others may
    ///   have made it so, and it is that job's own failure.
    /// - Throws: what is wrong, if the outputs cannot all be written without harm to an input, a secret or each other.
    func check(
        _ jobs: [(input: FileEndpoint, output: FileEndpoint)], replacesInputs: Bool = false
    ) throws(CommandError) -> [FileEndpoint: CommandError] {
        let secrets = Set(secrets.compactMap(Self.place))
        var inputs: [Place?] = []
        for job in jobs {
            if Interruption.signal != nil { throw .interrupted }
            inputs.append(Self.place(job.input))
        }
        for (place, job) in zip(inputs, jobs) {
            guard place.map(secrets.contains) != true else {
                throw job.input == .standardInput
                    ? .secretIsData
                    : Self.refusal("\(job.input): It holds the password or the keys, and is among the inputs.")
            }
        }
        let endpoints = Dictionary(
            zip(inputs + leftAlone.map(Self.place), jobs.map(\.input) + leftAlone)
        ) { first, _ in first }
        var outputs: [Place: FileEndpoint] = [:]
        var failures: [FileEndpoint: CommandError] = [:]
        let hasFoundFiles = jobs.contains { $0.input.placeBelow != nil }
        for (input, job) in zip(inputs, jobs) {
            if Interruption.signal != nil { throw .interrupted }
            // By its turn it may lead to the output of another.
            guard jobs.count == 1 || !FileIdentity.isDanglingLink(job.output) else {
                let sentence = "\(job.output): It is a symbolic link to a file that does not exist."
                guard hasFoundFiles else { throw Self.refusal(sentence) }
                failures[job.input] = CommandError(.cannotCreate, "\(sentence) Nothing was done with \(job.input).")
                continue
            }
            guard let place = Self.place(job.output) else { continue }
            guard !secrets.contains(place) else {
                throw Self.refusal("\(job.output): It holds the password or the keys, and would be written over.")
            }
            let conflict: (other: FileEndpoint, sentence: String)? =
                if place != input, let other = endpoints[place] {
                    (other, "The output for \(job.input) would take the place of the input \(other).")
                } else if place == input, !replacesInputs {
                    (job.input, "It is both the source and the destination.")
                } else if let other = outputs[place] {
                    (
                        other,
                        other == job.input
                            ? "It is named twice." : "It would be the output for \(other) and for \(job.input)."
                    )
                } else {
                    nil
                }
            guard let (other, sentence) = conflict else {
                outputs[place] = job.input
                continue
            }
            if job.input.placeBelow != nil || other.placeBelow != nil {
                failures[job.input] = CommandError(
                    .cannotCreate, "\(job.output): \(sentence) Nothing was done with \(job.input).")
            } else if other == job.input, place == input, !replacesInputs {
                throw CommandError(
                    .cannotCreate, "\(job.output): \(sentence) It was not touched. Choose another destination.")
            } else {
                throw Self.refusal("\(job.output): \(sentence)")
            }
        }
        return failures
    }

    private static func refusal(_ sentence: String) -> CommandError {
        .usage("\(sentence) Nothing was done.", hint: "Leave it out, or run it by itself.")
    }

    /// Nil for a character device, and where no file can be.
    private static func place(_ endpoint: FileEndpoint) -> Place? {
        if let file = FileIdentity(of: endpoint) { return .file(file) }
        if let (folder, path) = endpoint.placeBelow {
            guard let found = try? folder.entry(at: path) else {
                let name = Array(path.suffix(while: { $0 != UInt8(ascii: "/") }))
                return (try? folder.identityOfFolder(of: path)).map { .name(name, inFolder: FileIdentity($0)) }
            }
            // What no link leads to is nobody's output.
            return found.identity.map { .file(FileIdentity($0)) }
        }
        guard let path = endpoint.pathBytes, !FileIdentity.exists(endpoint) else { return nil }
        let name = path.suffix(while: { $0 != UInt8(ascii: "/") })
        let folder = path.dropLast(name.count)
        guard !name.isEmpty, let identity = FileIdentity(ofFolder: folder.isEmpty ? [UInt8(ascii: ".")] : Array(folder))
        else { return nil }
        return .name(Array(name), inFolder: identity)
    }
}

/// Equal for two names of one file.
struct FileIdentity: Hashable {
    private let value: OpenFolder.Entry.Identity

    /// What stat(2) says of a file.
    private struct Status {
        let kind: mode_t
        let identity: FileIdentity

        init(_ status: stat) {
            kind = status.st_mode & S_IFMT
            // A block device may have several nodes.
            let (device, inode) = kind == S_IFBLK ? (status.st_rdev, .max) : (status.st_dev, status.st_ino)
            identity = FileIdentity(
                OpenFolder.Entry.Identity(
                    device: UInt64(truncatingIfNeeded: device), inode: UInt64(truncatingIfNeeded: inode)))
        }

        /// Of what is below a folder; nil for what is neither a file nor a folder, and is not used by any name.
        init?(_ entry: OpenFolder.Entry) {
            guard let identity = entry.identity else { return nil }
            switch entry.kind {
            case .file: kind = S_IFREG
            case .folder: kind = S_IFDIR
            case .symbolicLink, .other, .unknown: return nil
            }
            self.identity = FileIdentity(identity)
        }
    }

    init(_ value: OpenFolder.Entry.Identity) { self.value = value }

    private init?(_ status: Status?, kinds: [mode_t]) {
        guard let status, kinds.contains(status.kind) else { return nil }
        self = status.identity
    }

    /// Nil for what is neither a regular file, a pipe nor a block device, and for what cannot be looked at. The same character
    /// device or socket, such as a terminal, may well be read and written.
    init?(of endpoint: FileEndpoint) {
        self.init(Self.status(endpoint), kinds: [S_IFREG, S_IFIFO, S_IFBLK])
    }

    /// Nil for what is no folder, or cannot be looked at.
    init?(ofFolder path: [UInt8]) {
        self.init(Self.status(.pathBytes(path)), kinds: [S_IFDIR])
    }

    /// stat(2) or fstat(2).
    private static func status(_ endpoint: FileEndpoint) -> Status? {
        if let number = endpoint.descriptor { return CryptorCommand.status(of: number).map(Status.init) }
        if let (folder, path) = endpoint.placeBelow { return (try? folder.entry(at: path)).flatMap(Status.init) }
        return endpoint.pathBytes.flatMap { CryptorCommand.status(of: $0, followingLink: true) }.map(Status.init)
    }

    /// Whether what is written there is seen at once: a descriptor, a pipe, a device.
    static func isStream(_ endpoint: FileEndpoint) -> Bool {
        if endpoint.descriptor != nil { return true }
        return status(endpoint).map { ![S_IFREG, S_IFDIR].contains($0.kind) } ?? false
    }

    /// Whether what reads there goes when the output is closed: a FIFO that was opened by its name.
    static func isFIFOWithName(_ endpoint: FileEndpoint) -> Bool {
        endpoint.descriptor == nil && status(endpoint)?.kind == S_IFIFO
    }

    static func isCharacterDevice(_ endpoint: FileEndpoint) -> Bool { status(endpoint)?.kind == S_IFCHR }

    static func exists(_ endpoint: FileEndpoint) -> Bool { status(endpoint) != nil }

    /// lstat(2): whether it is a link to nothing, which may be something by the time that it is written.
    static func isDanglingLink(_ endpoint: FileEndpoint) -> Bool {
        // Below a folder no link is written through: it is its own failure.
        guard endpoint.placeBelow == nil, let path = endpoint.pathBytes,
            let link = CryptorCommand.status(of: path, followingLink: false)
        else { return false }
        return link.st_mode & S_IFMT == S_IFLNK && !exists(endpoint)
    }
}

extension BidirectionalCollection {
    /// The longest end whose elements all fit.
    func suffix(while fits: (Element) -> Bool) -> SubSequence {
        self[(lastIndex { !fits($0) }.map(index(after:)) ?? startIndex)...]
    }
}

/// Puts the errors of what writes an output into words.
struct OutputErrors {
    private let output: FileEndpoint
    private let wasStream: Bool

    /// Looks at the output before it is written, since somebody may take its name away meanwhile.
    init(_ output: FileEndpoint) {
        self.output = output
        wasStream = FileIdentity.isStream(output)
    }

    /// Looks at it once more, as an input may be long in coming.
    func commandError(_ error: CryptorError) -> CommandError {
        let isStream = wasStream || FileIdentity.isStream(output)
        return error.code == .cancelled && isStream ? .interrupted(writingTo: output) : CommandError(error)
    }
}
