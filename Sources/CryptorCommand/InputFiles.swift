import CryptorFormat

/// The files that a subcommand is to read: its operands, and with `--recursive` what is in those that are folders.
struct InputFiles {
    static let recursive = Option(
        "recursive", letter: "r",
        "Work on all regular files in an INPUT that is a folder, and in its folders; no links are followed.")
    /// Where outputs are not named by a suffix.
    static let suffix = Option(
        "suffix", value: "SUFFIX", "Of folders, take only the files whose names end in SUFFIX, such as .rnc.")

    /// What is to be read, or why it cannot be.
    private let found: [Result<FileEndpoint, CommandError>]
    /// The same, with the name of what cannot be read.
    let files: [FileEndpoint]

    /// - Parameters:
    ///   - operands: what is read; '-' is standard input.
    ///   - isWanted: whether a file that is in a folder is, by its name.
    init(_ operands: [Word], recursive: Bool, where isWanted: (_ name: ArraySlice<UInt8>) -> Bool) {
        var walk = Walk()
        for word in operands {
            let file = word.file(dash: .standardInput)
            if recursive, let path = file.pathBytes, FileIdentity(ofFolder: path) != nil {
                walk.take(folder: path, where: isWanted)
            } else {
                walk.add(file, .success(file))
            }
        }
        found = walk.found
        files = walk.files
    }

    /// For a subcommand that is about messages which are there.
    /// - Throws: `noInput`, if there are folders and no file.
    init(_ arguments: Arguments) throws(CommandError) {
        guard let first = arguments.operands.first else { throw .usage("no FILE is given") }
        let suffix = arguments["suffix"]?.bytes ?? []
        self.init(arguments.operands, recursive: arguments.contains("recursive"), where: { $0.hasEnding(suffix) })
        guard !files.isEmpty else { throw CommandError(.noInput, "\(first.shown): There is no such file in it.") }
    }

    /// One of the files, by its index.
    func file(_ index: Int) throws(CommandError) -> FileEndpoint { try found[index].get() }

    /// Whether it is one file, which stays as it is when it is read.
    var mayBeReadAgain: Bool { files.count == 1 && !FileIdentity.isStream(files[0]) }

    /// Those that can be read, as far as is known.
    var readable: [FileEndpoint] { found.compactMap { try? $0.get() } }
}

/// Goes through folders, each in the order of its names.
private struct Walk {
    private(set) var found: [Result<FileEndpoint, CommandError>] = []
    private(set) var files: [FileEndpoint] = []

    mutating func add(_ file: FileEndpoint, _ result: Result<FileEndpoint, CommandError>) {
        found.append(result)
        files.append(file)
    }

    mutating func take(folder: [UInt8], where isWanted: (ArraySlice<UInt8>) -> Bool) {
        let slash = UInt8(ascii: "/")
        // Below the folder; the next one last. By the time that one is opened somebody may have put a link in its place, or on
        // the way to it.
        var paths: [[UInt8]] = [[]]
        while let path = paths.popLast() {
            let entry: FileEndpoint = path.isEmpty ? .pathBytes(folder) : .pathBytes(path, below: folder)
            let status = CryptorCommand.status(of: entry.pathBytes ?? [], followingLink: path.isEmpty)
            switch status.map({ $0.st_mode & S_IFMT }) {
            case S_IFDIR?:
                do throws(CommandError) {
                    let names = try names(in: entry).sorted { $1.lexicographicallyPrecedes($0) }
                    paths += names.map { path.isEmpty ? $0 : path + [slash] + $0 }
                } catch {
                    add(entry, .failure(error))
                }
            case S_IFREG? where isWanted(path.suffix(while: { $0 != slash })):
                add(entry, .success(entry))
            default: continue
            }
        }
    }

    private func names(in folder: FileEndpoint) throws(CommandError) -> [[UInt8]] {
        if Interruption.signal != nil { throw .interrupted }
        guard let names = folder.pathBytes.flatMap(namesInFolder) else {
            throw CommandError(.noInput, "\(folder): It cannot be read: \(systemMessage(errno)).")
        }
        return names
    }
}

extension Collection<UInt8> {
    /// Whether it ends in `ending`, and is more than that.
    func hasEnding(_ ending: [UInt8]) -> Bool { count > ending.count && suffix(ending.count).elementsEqual(ending) }
}
