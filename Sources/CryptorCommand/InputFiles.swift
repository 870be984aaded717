import CryptorFormat

/// The files that a subcommand reads: its operands, and with `--recursive` the files in operands that are folders.
struct InputFiles {
    static let recursive = Option(
        "recursive", letter: "r",
        "Work on all regular files in operands that are folders, and in the folders in these; no links in them are followed."
    )
    /// For subcommands that do not name their outputs by a suffix.
    static let suffix = Option(
        "suffix", value: "SUFFIX", "In folders, take only the files whose names end in SUFFIX, such as .rnc.")

    /// Each file that is to be read, or why it cannot be read.
    private var found: [Result<FileEndpoint, CommandError>] = []
    /// The names of all files in `found`, also of those that cannot be read.
    private(set) var files: [FileEndpoint] = []
    private var folderCount = 0
    /// The folders that were visited. Each is visited once, even if it is found under several names.
    private var folders: Set<FileIdentity> = []

    /// - Parameters:
    ///   - operands: the files and folders to read; '-' is standard input.
    ///   - isWanted: whether to read a file that was found in a folder, by its name.
    /// - Throws: `interrupted`, if a signal has come, which ends the walk through folders.
    init(
        _ operands: [Word], recursive: Bool, where isWanted: (_ name: ArraySlice<UInt8>) -> Bool
    ) throws(CommandError) {
        // Each folder among the operands stays open.
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

    /// For subcommands that read messages.
    /// - Throws: `noInput`, if the folders hold no such file.
    init(_ arguments: Arguments) throws(CommandError) {
        guard let first = arguments.operands.first else { throw .usage("no FILE is given") }
        let suffix = arguments["suffix"]?.bytes ?? []
        try self.init(arguments.operands, recursive: arguments.contains("recursive"), where: { $0.hasEnding(suffix) })
        guard !files.isEmpty else { throw CommandError(.noInput, "\(first.shown): There is no such file in it.") }
    }

    /// One of the files, by its index.
    func file(_ index: Int) throws(CommandError) -> FileEndpoint { try found[index].get() }

    /// Whether there is only one file, and it can be read again.
    var mayBeReadAgain: Bool { files.count == 1 && !files[0].isStream }

    /// The files that can be read, as far as is known.
    var readable: [FileEndpoint] { found.compactMap { try? $0.get() } }

    // MARK: Folders

    /// An entry that the walk through a folder has found and not yet handled.
    private enum Found {
        /// - Parameter path: the path from the operand's folder.
        case folder(FileEndpoint, path: [UInt8])
        case file(FileEndpoint)
        /// A file that is not worked on, and why.
        case left(FileEndpoint, String)
    }

    private mutating func add(_ file: FileEndpoint, _ result: Result<FileEndpoint, CommandError>) {
        found.append(result)
        files.append(file)
    }

    /// Walks through a folder and the folders in it, each in the order of its names. A signal ends the walk.
    /// - Parameter root: the folder among the operands. It is opened once, so a folder that takes its place later is
    ///   not visited. Below it no link is followed, whoever may put one there.
    private mutating func take(folder root: FileEndpoint, where isWanted: (ArraySlice<UInt8>) -> Bool) {
        // The other half of the descriptors is for the files in the folders.
        guard folderCount < openFileLimit() / 2 else {
            return add(
                root, .failure(CommandError(.noInput, "\(root): There are too many folders to have open at a time.")))
        }
        let folder: OpenFolder
        do throws(CryptorError) { folder = try OpenFolder(at: root) } catch {
            return add(root, .failure(CommandError(error)))
        }
        let fileCount = files.count
        // The next entry to handle is the last.
        var rest: [Found] = [.folder(root, path: [])]
        while Interruption.signal == nil, let next = rest.popLast() {
            switch next {
            case .file(let file): add(file, .success(file))
            case .left(let file, let reason):
                // The user may have wanted this file, so it is not left out in silence.
                add(file, .failure(CommandError(.noInput, "\(file): \(reason)")))
            case .folder(let endpoint, let path):
                do throws(CryptorError) {
                    let (identity, entries) = try folder.listing(of: path)
                    guard folders.insert(identity).inserted else { continue }
                    rest += entries.reversed().compactMap { entry in
                        switch entry.kind {
                        case .folder: .folder(entry.endpoint, path: entry.pathBytes)
                        case .file where isWanted(entry.nameBytes[...]):
                            // An unfinished file may hold data that was never verified.
                            TemporaryFile.isUnfinished(nameBytes: entry.nameBytes)
                                ? .left(
                                    entry.endpoint,
                                    "It may be unfinished: a run gives this name to a file that it works on.")
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
    /// Whether it ends in `ending` and is longer than that.
    func hasEnding(_ ending: [UInt8]) -> Bool { count > ending.count && suffix(ending.count).elementsEqual(ending) }
}
