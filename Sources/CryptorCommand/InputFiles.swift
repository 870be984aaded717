import CryptorFormat

/// The files that a subcommand is to read: its operands, and with `--recursive` what is in those that are folders.
struct InputFiles {
    static let recursive = Option(
        "recursive", letter: "r",
        "Work on all regular files in an operand that is a folder, and in its folders; below it no links are followed.")
    /// Where outputs are not named by a suffix.
    static let suffix = Option(
        "suffix", value: "SUFFIX", "Of folders, take only the files whose names end in SUFFIX, such as .rnc.")

    /// What is to be read, or why it cannot be.
    private var found: [Result<FileEndpoint, CommandError>] = []
    /// The same, with the name of what cannot be read.
    private(set) var files: [FileEndpoint] = []
    private var folderCount = 0
    /// Each is gone through once, by however many names it is found.
    private var folders: Set<FileIdentity> = []

    /// - Parameters:
    ///   - operands: what is read; '-' is standard input.
    ///   - isWanted: whether a file that is in a folder is, by its name.
    /// - Throws: `interrupted`, if a signal has come, which ends the walk through folders.
    init(
        _ operands: [Word], recursive: Bool, where isWanted: (_ name: ArraySlice<UInt8>) -> Bool
    ) throws(CommandError) {
        // Each folder that somebody named stays open.
        if recursive { raiseOpenFileLimit() }
        for word in operands {
            let file = word.file(dash: .standardInput)
            if recursive, file.descriptor == nil, file.folderIdentity != nil {
                take(folder: file, where: isWanted)
            } else {
                add(file, .success(file))
            }
        }
        if Interruption.signal != nil { throw .interrupted }
    }

    /// For a subcommand that is about messages which are there.
    /// - Throws: `noInput`, if there are folders and no file.
    init(_ arguments: Arguments) throws(CommandError) {
        guard let first = arguments.operands.first else { throw .usage("no FILE is given") }
        let suffix = arguments["suffix"]?.bytes ?? []
        try self.init(arguments.operands, recursive: arguments.contains("recursive"), where: { $0.hasEnding(suffix) })
        guard !files.isEmpty else { throw CommandError(.noInput, "\(first.shown): There is no such file in it.") }
    }

    /// One of the files, by its index.
    func file(_ index: Int) throws(CommandError) -> FileEndpoint { try found[index].get() }

    /// Whether it is one file, which stays as it is when it is read.
    var mayBeReadAgain: Bool { files.count == 1 && !files[0].isStream }

    /// Those that can be read, as far as is known.
    var readable: [FileEndpoint] { found.compactMap { try? $0.get() } }

    // MARK: Folders

    /// What is to be looked at, or taken.
    private enum Found {
        /// - Parameter path: from the folder that somebody named.
        case folder(FileEndpoint, path: [UInt8])
        case file(FileEndpoint)
        /// Not to be worked on, and why.
        case left(FileEndpoint, String)
    }

    private mutating func add(_ file: FileEndpoint, _ result: Result<FileEndpoint, CommandError>) {
        found.append(result)
        files.append(file)
    }

    /// Goes through a folder, and those in it, each in the order of its names. It ends at a signal.
    /// - Parameter root: what somebody named. It is opened once: what takes its place later is not looked at, and below it no link
    ///   leads elsewhere, whoever may put one there.
    private mutating func take(folder root: FileEndpoint, where isWanted: (ArraySlice<UInt8>) -> Bool) {
        // The others are for the files in them.
        guard folderCount < openFileLimit() / 2 else {
            return add(
                root, .failure(CommandError(.noInput, "\(root): It is one of too many folders to be open at a time.")))
        }
        let folder: OpenFolder
        do throws(CryptorError) { folder = try OpenFolder(at: root) } catch {
            return add(root, .failure(CommandError(error)))
        }
        let fileCount = files.count
        // The next one last.
        var rest: [Found] = [.folder(root, path: [])]
        while Interruption.signal == nil, let next = rest.popLast() {
            switch next {
            case .file(let file): add(file, .success(file))
            case .left(let file, let reason):
                // It may be what was wanted, and is not left out in silence.
                add(file, .failure(CommandError(.noInput, "\(file): \(reason)")))
            case .folder(let endpoint, let path):
                do throws(CryptorError) {
                    let (identity, entries) = try folder.listing(of: path)
                    guard folders.insert(identity).inserted else { continue }
                    rest += entries.reversed().compactMap { entry in
                        switch entry.kind {
                        case .folder: .folder(entry.endpoint, path: entry.pathBytes)
                        case .file where isWanted(entry.nameBytes[...]):
                            // It may hold what was never verified.
                            TemporaryFile.isUnfinished(nameBytes: entry.nameBytes)
                                ? .left(entry.endpoint, "It may be unfinished: so runs that work on a file call it.")
                                : .file(entry.endpoint)
                        case .unknown: .left(entry.endpoint, "The system does not tell what it is.")
                        case .file, .symbolicLink, .other: nil
                        }
                    }
                } catch {
                    add(endpoint, .failure(CommandError(error)))
                }
            }
        }
        if files.count > fileCount { folderCount += 1 }
    }
}

extension Collection<UInt8> {
    /// Whether it ends in `ending`, and is more than that.
    func hasEnding(_ ending: [UInt8]) -> Bool { count > ending.count && suffix(ending.count).elementsEqual(ending) }
}
