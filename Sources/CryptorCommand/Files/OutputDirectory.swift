import CryptorFiles
import CryptorSystem

/// What `--output-dir` names. Each output is below it where its input is below its operand.
///
/// Nothing is made before the work begins. Then all directories are, and are made durable, before
/// the first output is written. Links below the directory are not followed, whoever put them there.
final class OutputDirectory {
    static let option = Option(
        "output-dir", value: .file("DIR"),
        """
        Write below DIR: the contents of an INPUT directory directly, as 'cp -r INPUT/. DIR' \
        does, any other INPUT under its own name. If --suffix is given, it is added or removed. \
        DIR is created if it is missing, and so are directories below it, empty ones too, with the \
        permissions of their sources at most. Outputs keep INPUT's permissions and times.
        """)

    /// The suffix that encryption adds and decryption removes; empty for none.
    let suffix: [UInt8]
    private let file: FileEndpoint
    /// The directory, once it exists.
    private var directory: Directory?
    private var names = OutputNames()

    // MARK: Opening

    /// - Throws: `cannotCreate`, if it can be neither opened nor made.
    init(_ name: Word, suffix: [UInt8]) throws(CommandError) {
        self.suffix = suffix
        var path = name.bytes[...]
        while path.count > 1, path.last == Self.slash { path.removeLast() }
        file = .pathBytes(Array(path))
        if !file.isMissing { try open() }
        guard directory != nil || file.directory.isDirectory else {
            throw CommandError(
                .cannotCreate,
                "\(file): Its directory does not exist. Create it first, or choose another.")
        }
    }

    private func open() throws(CommandError) {
        do throws(CryptorError) { directory = try Directory(atTrusted: file) } catch {
            // Another run that fails removes what it has made.
            guard file.isMissing else { throw CommandError(.cannotCreate, error.whatHappened) }
        }
    }

    /// Whether it is one of these directories, or is or would be below one.
    func isBelow(_ others: Set<FileStatus.Identity>) -> Bool {
        var here = directory == nil ? file.directory : file
        var last: FileStatus.Identity?
        while let identity = here.currentStatus?.identity, identity != last {
            if others.contains(identity) { return true }
            last = identity
            here = here.changingPath { path in path + Array("/..".utf8) }
        }
        return false
    }

    // MARK: Outputs

    /// The file with this path below the directory, whether or not that exists yet.
    func output(_ path: [UInt8]) -> FileEndpoint {
        if let directory { return .pathBytes(path, below: directory) }
        return file.changingPath { directory in directory + Array("/".utf8) + path }
    }

    /// The job with its output, which has this path below the directory.
    func job(_ job: FileJob, writing path: [UInt8]) -> FileJob {
        let output = output(path)
        var job = job
        job.pathBelowDirectory = path
        job.output = output
        job.failure = obstacle(for: path)
        guard let other = names.add(path), !isListed(path, besides: other) else { return job }
        job.isOneOfTwoNames = true
        if job.failure == nil, output.isExistingFile { job.failure = Self.oneOfTwo(output) }
        return job
    }

    /// What is there in place of a directory that an output would be in; nil if nothing is.
    private func obstacle(for path: [UInt8]) -> CommandError? {
        if Self.parent(of: path).map({ output($0).isDirectory }) ?? true { return nil }
        for parent in Self.parents(of: path) {
            let place = output(parent)
            do throws(CryptorError) {
                guard let status = try place.status() else { return nil }
                if status.kind != .directory { return Self.noDirectory(place) }
            } catch {
                return place.isMissing ? nil : CommandError(.cannotCreate, error.description)
            }
        }
        return nil
    }

    private static func noDirectory(_ place: FileEndpoint) -> CommandError {
        CommandError(
            .cannotCreate, "\(place): It is not a directory, but an output would be in it.")
    }

    /// For an output that exists, and may be that of another INPUT.
    static func oneOfTwo(_ output: FileEndpoint) -> CommandError {
        CommandError(
            .cannotCreate,
            """
            \(output): It already exists and was not changed: the name for another INPUT differs \
            only in case or Unicode form, and this file system may take both for one.
            """,
            hint: "Rename one, or use another directory for it.")
    }

    /// Whether the file system tells two names in one directory apart, since both are there.
    private func isListed(_ path: [UInt8], besides other: [UInt8]) -> Bool {
        let place = output(path)
        guard let directory = try? Directory(at: place.directory),
            let entries = try? directory.entries(),
            let name = place.nameBytes, let otherName = output(other).nameBytes
        else { return false }
        return Set(entries.map(\.name)).isSuperset(of: [name, otherName])
    }

    /// The jobs, with failures for those whose output is in what is the output of another.
    static func withoutFilesInPlaceOfDirectories(_ jobs: [FileJob]) -> [FileJob] {
        let outputs = Set(jobs.compactMap(\.pathBelowDirectory))
        return jobs.map { job in
            let parents = job.pathBelowDirectory.map(parents) ?? []
            guard parents.contains(where: outputs.contains), let output = job.output else {
                return job
            }
            var job = job
            job.failure = CommandError(
                .cannotCreate, "\(output): It would be inside the output for another INPUT.")
            return job
        }
    }

    /// The directory that a path is in; nil for the one of all outputs.
    private static func parent(of path: [UInt8]) -> [UInt8]? {
        path.lastIndex(of: slash).map { Array(path[..<$0]) }
    }

    /// The directories that a path is in, from the first on.
    private static func parents(of path: [UInt8]) -> [[UInt8]] {
        path.indices.filter { path[$0] == slash }.map { Array(path[..<$0]) }
    }

    private static let slash = UInt8(ascii: "/")

    // MARK: Directories

    /// A directory below this one that the run makes, unless it exists.
    private struct Branch {
        let path: [UInt8]
        /// The directories whose rights it takes.
        var sources: [InputFiles.FoundDirectory]
        /// Whether some file systems take its name for that of another.
        let isOneOfTwoNames: Bool
        /// Why it cannot be made.
        var failure: CommandError?
        /// What it is once it was made, or found.
        var found: (identity: FileStatus.Identity, attributes: FileAttributes)?
    }

    /// The operands whose contents are in this directory.
    private var sources: [InputFiles.FoundDirectory] = []
    /// In an order in which they can be made.
    private var branches: [Branch] = []
    private var branchNumbers: [[UInt8]: Int] = [:]
    /// The directory of the last output, which stays open: most are in the same.
    private var last: (number: Int, directory: Directory)?
    /// What this run has made, from the first on. The path of this directory itself is empty.
    private var made: [(path: [UInt8], identity: FileStatus.Identity)] = []

    /// Adds directories whose outputs are to be in this one and below it.
    func add(_ directories: [InputFiles.FoundDirectory]) {
        for found in directories {
            if found.path.isEmpty {
                sources.append(found)
            } else if let number = branchNumbers[found.path] {
                branches[number].sources.append(found)
            } else {
                let other = names.add(found.path)
                branchNumbers[found.path] = branches.count
                branches.append(
                    Branch(
                        path: found.path, sources: [found],
                        isOneOfTwoNames: other.map { !isListed(found.path, besides: $0) } ?? false))
            }
        }
    }

    /// The rights that a directory takes from others, which it gives to nobody who has them in only
    /// one of these; nil for no others.
    private func attributes(
        of sources: [InputFiles.FoundDirectory]
    ) throws -> FileAttributes? {
        var attributes: FileAttributes?
        for source in sources {
            let next = try source.opened().attributes()
            attributes = attributes?.narrowed(to: next) ?? next
        }
        return attributes
    }

    /// Makes this directory and all below it, and makes their names durable. The failure of one
    /// that outputs would be in is that of the outputs. Others are reported here.
    /// - Parameter jobs: those with outputs.
    /// - Returns: whether all could be made.
    func makeDirectories(for jobs: [FileJob]) throws -> Bool {
        let outputs = Set(jobs.compactMap(\.pathBelowDirectory))
        // Those that outputs are in, at any depth.
        var parents: Set<[UInt8]> = []
        for path in outputs {
            var parent = Self.parent(of: path)
            while let next = parent, parents.insert(next).inserted {
                parent = Self.parent(of: next)
            }
        }
        if directory == nil { try makeDirectory() }
        var areMade = true
        for (number, branch) in branches.enumerated() {
            if Interruption.signal != 0 { throw CommandError.interrupted }
            do {
                guard !outputs.contains(branch.path) else {
                    let place = output(branch.path)
                    throw CommandError(
                        .cannotCreate,
                        "\(place): It is a directory, but the output for a file, too.")
                }
                try make(number)
            } catch {
                let error = CommandError(error)
                branches[number].failure = error
                areMade = false
                if !parents.contains(branch.path), failureAbove(branch.path) == nil {
                    Report.complain(error)
                }
            }
        }
        try synchronize()
        return areMade
    }

    /// The output, in the very directory that was made or found for it, or in one with the same
    /// rights: another run may have removed that and made it again.
    func prepared(_ path: [UInt8]) throws -> FileEndpoint {
        if let failure = failureAbove(path) { throw failure }
        let output = output(path)
        guard let number = Self.parent(of: path).flatMap({ branchNumbers[$0] }),
            let found = branches[number].found, let name = output.nameBytes
        else { return output }
        if let last, last.number == number { return .pathBytes(name, below: last.directory) }
        let place = self.output(branches[number].path)
        do throws(CryptorError) {
            let directory = try Directory(at: place)
            var isFound = try directory.identity() == found.identity
            if !isFound { isFound = try directory.attributes() == found.attributes }
            if isFound {
                last = (number, directory)
                return .pathBytes(name, below: directory)
            }
        } catch {
            throw CommandError(error, writingTo: place, isStream: false)
        }
        throw CommandError(
            .cannotCreate, "\(place): Another directory has taken its place meanwhile.")
    }

    /// Why the directory that a path is in cannot be made, itself or because of one above it.
    private func failureAbove(_ path: [UInt8]) -> CommandError? {
        Self.parent(of: path).flatMap { branchNumbers[$0] }.flatMap { branches[$0].failure }
    }

    /// Makes again what is missing since another run had made it, failed, and removed it.
    /// - Parameter path: that of the output whose directories are made; nil for all of them.
    /// - Returns: whether anything was missing.
    @discardableResult
    func makeAgain(for path: [UInt8]? = nil) throws -> Bool {
        // It may have been made again already.
        var isMissing = last?.directory.isRemoved ?? false
        last = nil
        if let directory, directory.isRemoved {
            self.directory = nil
            try makeDirectory()
            isMissing = true
        }
        let parents = path.map { Set(Self.parents(of: $0)) }
        for (number, branch) in branches.enumerated() where branch.failure == nil {
            guard parents?.contains(branch.path) ?? true, output(branch.path).isMissing else {
                continue
            }
            try make(number)
            isMissing = true
        }
        if isMissing { try synchronize() }
        return isMissing
    }

    /// Removes what this run has made, unless something is in it.
    func removeDirectories() {
        for (path, identity) in made.reversed() {
            let place = path.isEmpty ? file : output(path)
            guard place.currentStatus?.identity == identity else { continue }
            // One that is in use stays.
            try? place.removeDirectory()
        }
    }

    /// Makes and opens this directory.
    private func makeDirectory() throws {
        let attributes = try attributes(of: sources)
        var attemptCount = 0
        while true {
            do throws(CryptorError) {
                let made = try make(file, like: attributes, recordedAs: [])
                directory = made.directory
                if directory == nil { directory = try Directory(atTrusted: file) }
                return
            } catch {
                // Another run that fails removes it while it is empty.
                attemptCount += 1
                guard error.systemErrorNumber == ENOENT, attemptCount < 100 else {
                    throw CommandError(.cannotCreate, error.whatHappened)
                }
            }
        }
    }

    private func make(_ number: Int) throws {
        let branch = branches[number]
        if let failure = failureAbove(branch.path) { throw failure }
        while true {
            let place = output(branch.path)
            let isThere = place.isDirectory
            let attributes = isThere ? nil : try attributes(of: branch.sources)
            var isMade = false
            do throws(CryptorError) {
                var directory: Directory?
                if !isThere {
                    (isMade, directory) = try make(
                        place, like: attributes, recordedAs: branch.path)
                }
                if isMade || place.isDirectory {
                    let directory = if let directory { directory } else { try Directory(at: place) }
                    branches[number].found = (try directory.identity(), try directory.attributes())
                }
            } catch {
                guard error.systemErrorNumber == ENOENT, try makeAgain(for: branch.path) else {
                    throw CommandError(.cannotCreate, error.description)
                }
                continue
            }
            guard isMade || place.isDirectory else { throw Self.noDirectory(place) }
            guard isMade || !branch.isOneOfTwoNames else { throw Self.oneOfTwo(place) }
            return
        }
    }

    /// Makes a directory.
    /// - Returns: whether it was made (not if the name is taken), and the directory, unless another
    ///   one has taken its place.
    private func make(
        _ place: FileEndpoint, like attributes: FileAttributes?, recordedAs path: [UInt8]
    ) throws(CryptorError) -> (isMade: Bool, directory: Directory?) {
        do throws(CryptorError) {
            let made = try place.makeDirectory(like: attributes)
            AttributeWarning.add(directory: place, made.rights)
            if let directory = made.directory {
                self.made.append((path, try directory.identity()))
            }
            return (true, made.directory)
        } catch {
            // Another run may just have made it.
            guard error.systemErrorNumber == SystemError.exists.number else { throw error }
            return (false, nil)
        }
    }

    /// Makes the names of all these directories durable, whoever has made them: a source that is
    /// removed must be in its output after a power failure.
    private func synchronize() throws {
        guard let directory else { return }
        try directory.synchronizeName()
        var done: Set<[UInt8]> = []
        for branch in branches where branch.failure == nil {
            let place = output(branch.path)
            // Of what somebody has removed or replaced, an output in it tells.
            guard let inner = try? Directory(at: place) else { continue }
            // One call for each directory makes all names in it durable.
            guard done.insert(Self.parent(of: branch.path) ?? []).inserted else { continue }
            try inner.synchronizeName()
        }
    }
}
