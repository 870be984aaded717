import CryptorFormat

/// Checks everything that a run reads and writes before anything is written: no file may be the output for two inputs,
/// and no output may be a file that is still to be read.
struct FilePlan {
    /// An existing file or pipe, whatever name leads to it; or a place where a file can be created.
    private enum Place: Hashable {
        case file(FileIdentity)
        case name([UInt8], inFolder: FileIdentity)
    }

    /// The files and descriptors that secrets are read from; nil for those from elsewhere.
    let secrets: [FileEndpoint?]
    /// Inputs that nothing is done with.
    var leftAlone: [FileEndpoint] = []

    /// - Parameter replacesInputs: whether an output may replace its own input.
    /// - Returns: the failures, by input, of jobs that would harm another job, if a file of either was found in a
    ///   folder: another user may have put it there, so only that job fails.
    /// - Throws: what is wrong, if the outputs cannot all be written without harm to an input, a secret or each other.
    func check(
        _ jobs: [(input: FileEndpoint, output: FileEndpoint)], replacesInputs: Bool = false
    ) throws(CommandError) -> [FileEndpoint: CommandError] {
        let inputs = try places(of: jobs.map(\.input))
        let secrets = Set(secrets.compactMap { $0.flatMap(Self.place) })
        let endpoints = Dictionary(
            zip(inputs + leftAlone.map(Self.place), jobs.map(\.input) + leftAlone)
        ) { first, _ in first }
        var outputs: [Place: FileEndpoint] = [:]
        var failures: [FileEndpoint: CommandError] = [:]
        let hasFoundFiles = jobs.contains { $0.input.placeBelow != nil }
        for (input, job) in zip(inputs, jobs) {
            if Interruption.signal != nil { throw .interrupted }
            // By the time that it is written, the link may lead to the output of another job.
            guard jobs.count == 1 || !job.output.isDanglingLink else {
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
                // Whoever names a file twice has not named its output.
                throw Self.refusal("\(other == job.input ? job.input : job.output): \(sentence)")
            }
        }
        return failures
    }

    /// Checks files that are only read.
    /// - Throws: also if a stream is named twice, since each would get a part of it.
    func check(_ inputs: [FileEndpoint]) throws(CommandError) {
        let places = try places(of: inputs)
        var streams: Set<Place> = []
        for (input, place) in zip(inputs, places) where input.isStream {
            guard let place, !streams.insert(place).inserted else { continue }
            throw Self.refusal("\(input): It is named twice, and can be read only once.")
        }
    }

    /// - Throws: if one of the inputs holds a secret.
    private func places(of inputs: [FileEndpoint]) throws(CommandError) -> [Place?] {
        let secrets = Set(secrets.compactMap { $0?.status?.identity })
        var places: [Place?] = []
        for input in inputs {
            if Interruption.signal != nil { throw .interrupted }
            let place = Self.place(input)
            // A character device or a socket has no place, and may hold a secret all the same.
            let identity = if case .file(let file) = place { file } else { input.status?.identity }
            guard identity.map(secrets.contains) != true else {
                throw input == .standardInput
                    ? .usage("standard input is the data, so the secret cannot come from there as well")
                    : Self.refusal("\(input): It holds the password or the keys, and is among the inputs.")
            }
            places.append(place)
        }
        return places
    }

    private static func refusal(_ sentence: String) -> CommandError {
        .usage("\(sentence) Nothing was done.", hint: "Leave it out, or run it by itself.")
    }

    /// Nil for a character device or a socket, and for a path where no file can be created.
    private static func place(_ endpoint: FileEndpoint) -> Place? {
        if let file = endpoint.fileIdentity { return .file(file) }
        if let (folder, path) = endpoint.placeBelow {
            guard let found = try? folder.entry(at: path) else {
                return (try? folder.identityOfFolder(containing: path)).map {
                    .name(Array(Word(path).name), inFolder: $0)
                }
            }
            // Below a folder no link is followed, so a link stands for itself and not for its target.
            return found.identity.map { .file($0) }
        }
        guard let path = endpoint.pathBytes, !endpoint.exists else { return nil }
        let name = Word(path).name
        let folder = path.dropLast(name.count)
        guard !name.isEmpty,
            let identity = FileEndpoint.pathBytes(folder.isEmpty ? [UInt8(ascii: ".")] : Array(folder)).folderIdentity
        else { return nil }
        return .name(Array(name), inFolder: identity)
    }
}

/// Tells files apart: it is equal for two names of one file.
typealias FileIdentity = OpenFolder.Entry.Identity

extension FileEndpoint {
    /// The kind of file, and its identity (`stat(2)` or `fstat(2)`). Below a folder, nil for anything that is neither a
    /// regular file nor a folder, since it is never opened there.
    fileprivate var status: (kind: mode_t, identity: FileIdentity)? {
        if let (folder, path) = placeBelow {
            guard let entry = try? folder.entry(at: path), let identity = entry.identity else { return nil }
            switch entry.kind {
            case .file: return (S_IFREG, identity)
            case .folder: return (S_IFDIR, identity)
            case .symbolicLink, .other, .unknown: return nil
            }
        }
        let found =
            if let descriptor {
                CryptorCommand.status(of: descriptor)
            } else {
                pathBytes.flatMap { CryptorCommand.status(of: $0, followingLink: true) }
            }
        guard let found else { return nil }
        let kind = found.st_mode & S_IFMT
        // A block device may have several nodes.
        let (device, inode) = kind == S_IFBLK ? (found.st_rdev, .max) : (found.st_dev, found.st_ino)
        let identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: device), inode: UInt64(truncatingIfNeeded: inode))
        return (kind, identity)
    }

    /// The identity of a regular file, a pipe or a block device; nil for anything else, or if its status cannot be
    /// read. A character device or a socket, such as a terminal, may well be both read and written.
    var fileIdentity: FileIdentity? {
        status.flatMap { [S_IFREG, S_IFIFO, S_IFBLK].contains($0.kind) ? $0.identity : nil }
    }

    /// The identity of a folder; nil for anything else, or if its status cannot be read.
    var folderIdentity: FileIdentity? { status.flatMap { $0.kind == S_IFDIR ? $0.identity : nil } }

    /// Whether its readers see at once what is written to it: a descriptor, a pipe or a device.
    var isStream: Bool { descriptor != nil || status.map { ![S_IFREG, S_IFDIR].contains($0.kind) } ?? false }

    /// Whether it is a FIFO that is given by its name: its reader leaves when the output is closed.
    var isFIFOWithName: Bool { descriptor == nil && status?.kind == S_IFIFO }

    var isCharacterDevice: Bool { status?.kind == S_IFCHR }

    var exists: Bool { status != nil }

    /// Whether it is a link to nothing (`lstat(2)`). Its target may exist by the time that the output is written.
    var isDanglingLink: Bool {
        // Below a folder no link is followed: an output that is one fails by itself.
        guard placeBelow == nil, let path = pathBytes,
            let link = CryptorCommand.status(of: path, followingLink: false)
        else { return false }
        return link.st_mode & S_IFMT == S_IFLNK && !exists
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
