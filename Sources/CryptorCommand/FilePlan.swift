import CryptorFormat

/// What a run reads and writes, looked at as a whole before anything is written: no file of it may be the output of two
/// others, nor an output and something that is still to be read.
struct FilePlan {
    /// A file, whatever its names; or the place for one.
    private enum Place: Hashable {
        case file(FileIdentity)
        case name([UInt8], inFolder: FileIdentity)
    }

    /// The secrets that are read from files.
    let secrets: [FileEndpoint]

    /// - Throws: what is wrong, if the outputs cannot all be written without harm to an input, a secret or each other.
    func check(_ jobs: [(input: FileEndpoint, output: FileEndpoint)]) throws(CommandError) {
        // That standard input is data and secret is complained of when the secret is read.
        let isComplainedOf = jobs.contains { $0.input == .standardInput }
        let secrets = Set(secrets.filter { $0 != .standardInput || !isComplainedOf }.compactMap(Self.regularFile))
        let inputs = jobs.map { Self.regularFile($0.input) }
        for (file, job) in zip(inputs, jobs) {
            guard file.map(secrets.contains) != true else {
                throw Self.refusal("\(job.input): It holds the password or the keys, and is among the inputs.")
            }
        }
        let endpoints = Dictionary(zip(inputs, jobs.map(\.input))) { first, _ in first }
        var outputs: [Place: FileEndpoint] = [:]
        for (input, job) in zip(inputs, jobs) {
            guard let place = Self.place(job.output) else { continue }
            if case .file(let file) = place {
                guard !secrets.contains(file) else {
                    throw Self.refusal("\(job.output): It holds the password or the keys, and would be written over.")
                }
                if file != input, let other = endpoints[file] {
                    throw Self.refusal(
                        "\(job.output): The output for \(job.input) would take the place of the input \(other).")
                }
            }
            if let other = outputs.updateValue(job.input, forKey: place) {
                throw Self.refusal("\(job.output): It would be the output for \(other) and for \(job.input).")
            }
        }
    }

    private static func refusal(_ sentence: String) -> CommandError {
        .usage("\(sentence) Nothing was done.", hint: "Leave it out, or run it by itself.")
    }

    private static func regularFile(_ endpoint: FileEndpoint) -> FileIdentity? {
        FileIdentity(ofRegularFile: endpoint)
    }

    /// Nil for what is no file, and where none can be.
    private static func place(_ output: FileEndpoint) -> Place? {
        if let file = regularFile(output) { return .file(file) }
        guard let path = output.pathBytes else { return nil }
        let name = path.suffix(while: { $0 != UInt8(ascii: "/") })
        let folder = path.dropLast(name.count)
        guard !name.isEmpty, let identity = FileIdentity(ofFolder: folder.isEmpty ? [UInt8(ascii: ".")] : Array(folder))
        else { return nil }
        return .name(Array(name), inFolder: identity)
    }
}

/// Device and inode: equal for two names of one file.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let inode: ino_t

    private init?(_ status: stat, kind: mode_t) {
        guard status.st_mode & S_IFMT == kind else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    /// stat(2) and fstat(2): nil for what is no regular file, or cannot be looked at.
    init?(ofRegularFile endpoint: FileEndpoint) {
        var status = stat()
        if case .descriptor(let number) = endpoint {
            guard unsafe fstat(number, &status) == 0 else { return nil }
        } else {
            guard let path = endpoint.pathBytes, unsafe stat(characters(path), &status) == 0 else { return nil }
        }
        self.init(status, kind: S_IFREG)
    }

    /// stat(2): nil for what is no folder, or cannot be looked at.
    init?(ofFolder path: [UInt8]) {
        var status = stat()
        guard unsafe stat(characters(path), &status) == 0 else { return nil }
        self.init(status, kind: S_IFDIR)
    }
}

extension BidirectionalCollection {
    /// The longest end whose elements all fit.
    func suffix(while fits: (Element) -> Bool) -> SubSequence {
        self[(lastIndex { !fits($0) }.map(index(after:)) ?? startIndex)...]
    }
}
