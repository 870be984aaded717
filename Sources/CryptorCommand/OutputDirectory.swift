import CryptorFiles
import CryptorSystem

/// What `--output-dir` names. Each output is below it where its input is below its operand.
///
/// Nothing is made before the work begins. Links below the directory are not followed, whoever put
/// them there.
final class OutputDirectory {
    static let option = Option(
        "output-dir", value: .file("DIR"),
        """
        Write below DIR: the contents of an INPUT directory directly, as 'cp -r INPUT/. DIR' \
        does, any other INPUT under its own name. If --suffix is given, it is added or removed. \
        DIR is created if it is missing, and directories below it take the permissions of their \
        sources. Outputs keep INPUT's permissions and times.
        """)

    /// The suffix that encryption adds and decryption removes; empty for none.
    let suffix: [UInt8]
    private let file: FileEndpoint
    /// The directory, once it exists.
    private var directory: Directory?

    /// - Throws: `cannotCreate`, if it can be neither opened nor made.
    init(_ name: Word, suffix: [UInt8]) throws(CommandError) {
        self.suffix = suffix
        var path = name.bytes[...]
        while path.count > 1, path.last == Self.slash { path.removeLast() }
        file = .pathBytes(Array(path))
        guard file.isMissing else {
            try open()
            return
        }
        guard file.directory.isDirectory else {
            throw CommandError(
                .cannotCreate,
                "\(file): Its directory does not exist. Create it first, or choose another.")
        }
    }

    private func open() throws(CommandError) {
        guard !isUntrustedLink else {
            throw CommandError(
                .cannotCreate,
                """
                \(file): It is another user's link in a directory that everybody can write to. \
                Name the directory itself.
                """)
        }
        do throws(CryptorError) { directory = try Directory(at: file) } catch {
            throw CommandError(.cannotCreate, error.description)
        }
    }

    /// As for an output in a directory such as /tmp, another user's link is not followed.
    private var isUntrustedLink: Bool {
        // If it cannot be told, opening the directory fails, too.
        guard let path = try? FilePath(file.pathBytes ?? []),
            let parent = try? DirectoryDescriptor.open(path.directory),
            let status = try? parent.status(of: path.name), status.kind == .symbolicLink,
            let above = try? parent.status()
        else { return false }
        return !status.isTrusted(in: above)
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

    /// What is there in place of a directory that an output would be in; nil if nothing is.
    func obstacle(for path: [UInt8]) -> CommandError? {
        for parent in Self.parents(of: path) {
            let place = output(parent)
            do throws(CryptorError) {
                guard let status = try place.status() else { return nil }
                guard status.kind != .directory else { continue }
                return CommandError(
                    .cannotCreate, "\(place): It is not a directory, but an output would be in it.")
            } catch {
                return place.isMissing ? nil : CommandError(.cannotCreate, error.description)
            }
        }
        return nil
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

    /// The directories that a path is in, from the first on.
    private static func parents(of path: [UInt8]) -> [[UInt8]] {
        path.indices.filter { path[$0] == slash }.map { Array(path[..<$0]) }
    }

    private static let slash = UInt8(ascii: "/")

    /// Makes the directory, and those below it that an output is in.
    /// - Parameter path: that of the output, from here on.
    /// - Returns: the output.
    func makeDirectories(
        for path: [UInt8], from job: FileJob
    ) throws(CommandError) -> FileEndpoint {
        if directory == nil {
            try make(file, like: nil)
            try open()
        }
        for parent in Self.parents(of: path) {
            let made = output(parent)
            // The input is below its operand where the output is below this directory.
            let source = job.input.changingPath { _ in parent }
            do throws(CommandError) { try make(made, like: source) } catch {
                // Somebody may have put something there since the command looked.
                throw obstacle(for: path) ?? error
            }
        }
        return output(path)
    }

    /// Makes a directory, unless it exists.
    /// - Parameter source: what its mode is taken from; nil for 0777 less the umask.
    private func make(
        _ place: FileEndpoint, like source: FileEndpoint?
    ) throws(CommandError) {
        if place.isDirectory { return }
        // The outputs have to get in.
        let mode = source?.currentStatus.map { $0.mode & 0o777 | 0o700 }
        do throws(CryptorError) {
            let parent = try Directory(at: place.directory)
            try parent.makeDirectory(place.nameBytes ?? [], mode: mode)
        } catch {
            throw CommandError(.cannotCreate, error.description)
        }
    }
}
