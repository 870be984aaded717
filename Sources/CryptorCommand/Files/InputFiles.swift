import CryptorFiles
import CryptorSystem

/// The files that a subcommand reads: its operands, and with `--recursive` the files in operands
/// that are directories. What it finds and does not read is counted in notes, by reason.
struct InputFiles {
    static let recursive = Option(
        "recursive", letter: "r",
        """
        Also work on the regular files in directories, at any depth. Links in them are not \
        followed. FIFOs, sockets and devices are skipped, even when given as INPUT.
        """)

    /// For subcommands that do not name their outputs by a suffix.
    static let suffix = Option(
        "suffix", value: .text("SUFFIX"),
        "In directories, work only on files whose names end in SUFFIX, such as .rnc.")

    /// Which files in directories are read, by their names.
    enum Choice {
        /// Those that end in it; all, if it is empty.
        case ending([UInt8])
        /// Those that do not end in it.
        case notEnding([UInt8])
    }

    /// Why something was passed over.
    private enum Reason: CaseIterable {
        case notRegular, ending, notEnding, visited

        func text(_ suffix: [UInt8], isOne: Bool) -> String {
            let suffix = Word(suffix).quoted
            return switch self {
            case .notRegular:
                isOne ? "it is a link or not a regular file" : "they are links or not regular files"
            case .ending:
                isOne
                    ? "its name already ends in \(suffix)" : "their names already end in \(suffix)"
            case .notEnding:
                isOne ? "its name does not end in \(suffix)" : "their names do not end in \(suffix)"
            case .visited:
                isOne
                    ? "it was found under another name before"
                    : "they were found under other names before"
            }
        }
    }

    /// A directory that was found in an operand.
    struct FoundDirectory {
        /// From the operand on; empty for the operand itself.
        let path: [UInt8]
        let endpoint: FileEndpoint
        let identity: FileStatus.Identity

        /// Opens it again.
        /// - Throws: `noInput`, if another directory has its path now.
        func opened() throws -> Directory {
            let directory = try Directory(at: endpoint)
            guard try directory.identity() == identity else {
                throw CommandError(
                    .noInput, "\(endpoint): Another directory has taken its place meanwhile.")
            }
            return directory
        }
    }

    /// The files, without outputs, and with why they cannot be read.
    private(set) var jobs: [FileJob] = []
    /// The directories in operands, each after the one that it is in.
    private(set) var foundDirectories: [FoundDirectory] = []
    /// All directories that were visited.
    private(set) var directories: Set<FileStatus.Identity> = []
    private let choice: Choice
    /// How many files and directories were passed over, and the first of them.
    private var passedOver: [Reason: (count: Int, first: FileEndpoint)] = [:]
    /// The operands, which are worked on in any case.
    private var named: Set<FileStatus.Identity> = []
    /// The directories that are not visited again, if they are found under other names.
    private var visited: Set<FileStatus.Identity> = []

    /// - Parameters:
    ///   - arguments: their operands are the files and directories to read; '-' is standard input.
    ///   - eachByItself: whether what is in several operands is read for each of them. Otherwise,
    ///     it is read once.
    /// - Throws: `interrupted`, if a signal has come, which ends the walk through directories.
    init(
        _ arguments: Arguments, _ choice: Choice, eachByItself: Bool = false
    ) throws(CommandError) {
        self.choice = choice
        let isRecursive = arguments.contains("recursive")
        let operands = arguments.operands.map { $0.file(dash: .standardInput) }
        if isRecursive { named = Set(operands.compactMap { $0.currentStatus?.identity }) }
        for file in operands {
            if isRecursive, file.descriptor == nil, file.isPipeOrDevice {
                passOver(file, .notRegular)
                continue
            }
            guard isRecursive, file.descriptor == nil, file.isDirectory else {
                jobs.append(FileJob(input: file, pathFromOperand: file.nameBytes))
                continue
            }
            if eachByItself { visited = [] }
            // It is opened once, so a directory that takes its place later is not visited. Below it
            // no link is followed, whoever may put one there.
            do throws(CryptorError) {
                visit(try Directory(at: file), at: file, countingVisited: eachByItself)
            } catch {
                jobs.append(FileJob(input: file, failure: CommandError(error)))
            }
        }
        if Interruption.signal != 0 { throw .interrupted }
        report(arguments)
    }

    /// For subcommands that read messages.
    /// - Throws: `noInput`, if the directories hold no such file.
    init(_ arguments: Arguments) throws(CommandError) {
        guard let first = arguments.operands.first else {
            throw .usage("no FILE is given")
        }
        guard arguments["suffix"] == nil || arguments.contains("recursive") else {
            throw .usage("--suffix needs --recursive")
        }
        let suffix = arguments["suffix"]?.bytes ?? []
        try self.init(arguments, .ending(suffix))
        guard !jobs.isEmpty else {
            let lack =
                suffix.isEmpty
                ? "It contains no files." : "No file in it ends in \(Word(suffix).quoted)."
            throw CommandError(.noInput, "\(first.shown): \(lack)")
        }
    }

    // MARK: What is passed over

    private mutating func passOver(_ file: FileEndpoint, _ reason: Reason) {
        let before = passedOver[reason]
        passedOver[reason] = ((before?.count ?? 0) + 1, before?.first ?? file)
    }

    private func report(_ arguments: Arguments) {
        let suffix = arguments["suffix"]?.bytes ?? []
        for reason in Reason.allCases {
            guard let (count, first) = passedOver[reason] else { continue }
            // Who removes sources may take what is left for something that was encrypted.
            let isWarning = reason == .ending && arguments.contains("remove-source")
            let others = count == 1 ? "was" : "and \(count - 1) more were"
            let why = reason.text(suffix, isOne: count == 1)
            Report.complain(
                isWarning ? "warning" : "note", "\(first): It \(others) skipped, because \(why).")
        }
    }

    private func reasonToPassOver(_ name: [UInt8]) -> Reason? {
        switch choice {
        case .ending(let suffix): name.hasEnding(suffix) ? nil : .notEnding
        case .notEnding(let suffix): name.hasEnding(suffix) ? .ending : nil
        }
    }

    // MARK: The walk

    /// What was found in a directory.
    private struct Entry {
        /// From the operand on; empty for that itself.
        let path: [UInt8]
        let name: [UInt8]
        /// Nil if it cannot be told.
        let status: FileStatus?
        /// The directory that it is in; nil for the operand.
        let directory: FoundDirectory?
    }

    /// Linux takes no longer paths, and the way to a directory is opened name by name.
    private static let pathByteLimit = 4096

    /// Walks through a directory and the directories in it, each in the order of its names.
    private mutating func visit(
        _ root: Directory, at operand: FileEndpoint, countingVisited: Bool
    ) {
        // The last entry is visited next.
        var left = [Entry(path: [], name: [], status: nil, directory: nil)]
        while let entry = left.popLast(), Interruption.signal == 0 {
            let file = entry.path.isEmpty ? operand : .pathBytes(entry.path, below: root)
            guard entry.path.isEmpty || entry.status?.kind == .directory else {
                add(entry, file)
                continue
            }
            guard entry.path.count < Self.pathByteLimit else {
                let failure = CommandError(.noInput, "\(file): Its path is too long.")
                jobs.append(FileJob(input: file, failure: failure))
                continue
            }
            do throws(CryptorError) {
                let directory = try entry.path.isEmpty ? root : Directory(at: file)
                let identity = try directory.identity()
                guard visited.insert(identity).inserted else {
                    // What is in it is read under the name by which it was found first.
                    if countingVisited { passOver(file, .visited) }
                    continue
                }
                directories.insert(identity)
                let found = FoundDirectory(path: entry.path, endpoint: file, identity: identity)
                left += try entries(of: directory, found).reversed()
                foundDirectories.append(found)
            } catch {
                jobs.append(FileJob(input: file, failure: CommandError(error)))
            }
        }
    }

    private func entries(
        of directory: Directory, _ found: FoundDirectory
    ) throws(CryptorError) -> [Entry] {
        let start = found.path.isEmpty ? [] : found.path + Array("/".utf8)
        return try directory.entries().map { name, status in
            Entry(path: start + name, name: name, status: status, directory: found)
        }
    }

    private mutating func add(_ entry: Entry, _ file: FileEndpoint) {
        guard entry.status == nil || entry.status?.kind == .regular else {
            return passOver(file, .notRegular)
        }
        if let reason = reasonToPassOver(entry.name) {
            if entry.status.map({ named.contains($0.identity) }) != true { passOver(file, reason) }
            return
        }
        var job = FileJob(input: file, pathFromOperand: entry.path, directory: entry.directory)
        if entry.status == nil {
            // The user may have wanted this file, so it is not left out in silence.
            job.failure = CommandError(.noInput, "\(file): Its type cannot be determined.")
        } else if file.isUnfinished {
            // It may hold data that was never verified.
            job.failure = CommandError(
                .noInput,
                "\(file): Its name says that it is unfinished. Remove it if no run is writing it.")
        }
        jobs.append(job)
    }
}
