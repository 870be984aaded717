import CryptorFiles
import CryptorSystem

/// The files that a subcommand reads: its operands, and with `--recursive` the files in operands
/// that are directories.
struct InputFiles {
    static let recursive = Option(
        "recursive", letter: "r",
        """
        Also work on the regular files in directories, at any depth. Links in them are not \
        followed. FIFOs, sockets and devices are left out, even if they are named.
        """)

    /// For subcommands that do not name their outputs by a suffix.
    static let suffix = Option(
        "suffix", value: .text("SUFFIX"),
        "In directories, work only on files whose names end in SUFFIX, such as .rnc.")

    /// The files, without outputs, and with why they cannot be read.
    private(set) var jobs: [FileJob] = []
    /// How many links in directories, and files that are not regular, were passed over, and the
    /// first of them.
    private var passedOver: (count: Int, first: FileEndpoint?) = (0, nil)
    /// The directories that were visited. Each is visited once, even if it is found under several
    /// names.
    private(set) var directories: Set<FileStatus.Identity> = []

    /// - Parameters:
    ///   - arguments: their operands are the files and directories to read; '-' is standard input.
    ///   - isWanted: whether to read a file that was found in a directory, by its name.
    /// - Throws: `interrupted`, if a signal has come, which ends the walk through directories.
    init(_ arguments: Arguments, where isWanted: (_ name: [UInt8]) -> Bool) throws(CommandError) {
        let isRecursive = arguments.contains("recursive")
        for word in arguments.operands {
            let file = word.file(dash: .standardInput)
            if isRecursive, file.descriptor == nil, file.isPipeOrDevice {
                passOver(file)
                continue
            }
            guard isRecursive, file.descriptor == nil, file.isDirectory else {
                jobs.append(FileJob(input: file, pathFromOperand: file.nameBytes))
                continue
            }
            // It is opened once, so a directory that takes its place later is not visited. Below it
            // no link is followed, whoever may put one there.
            do throws(CryptorError) {
                visit(try Directory(at: file), at: file, where: isWanted)
            } catch {
                jobs.append(FileJob(input: file, failure: CommandError(error)))
            }
        }
        if Interruption.signal != 0 { throw .interrupted }
        if !arguments.contains("quiet") { reportPassedOver() }
    }

    private mutating func passOver(_ file: FileEndpoint) {
        passedOver = (passedOver.count + 1, passedOver.first ?? file)
    }

    private func reportPassedOver() {
        guard let first = passedOver.first else { return }
        let text =
            passedOver.count == 1
            ? "It was skipped, because it is a link or not a regular file."
            : """
            It and \(passedOver.count - 1) more were skipped, because they are links or not \
            regular files.
            """
        Report.complain("note", "\(first): \(text)")
    }

    /// For subcommands that read messages.
    /// - Throws: `noInput`, if the directories hold no such file.
    init(_ arguments: Arguments) throws(CommandError) {
        guard let first = arguments.operands.first else { throw .usage("no FILE is given") }
        guard arguments["suffix"] == nil || arguments.contains("recursive") else {
            throw .usage("--suffix needs --recursive")
        }
        let suffix = arguments["suffix"]?.bytes ?? []
        try self.init(arguments, where: { $0.hasEnding(suffix) })
        guard !jobs.isEmpty else {
            let lack =
                suffix.isEmpty
                ? "It contains no files." : "No file in it ends in \(Word(suffix).quoted)."
            throw CommandError(.noInput, "\(first.shown): \(lack)")
        }
    }

    /// What was found in a directory.
    private struct Entry {
        /// From the operand on; empty for that itself.
        let path: [UInt8]
        let name: [UInt8]
        /// Nil if it cannot be told.
        let kind: FileStatus.Kind?
    }

    /// Linux takes no longer paths, and the way to a directory is opened name by name.
    private static let pathByteLimit = 4096

    /// Walks through a directory and the directories in it, each in the order of its names.
    private mutating func visit(
        _ root: Directory, at operand: FileEndpoint, where isWanted: ([UInt8]) -> Bool
    ) {
        // The last entry is visited next.
        var left = [Entry(path: [], name: [], kind: .directory)]
        while let entry = left.popLast(), Interruption.signal == 0 {
            let file = entry.path.isEmpty ? operand : .pathBytes(entry.path, below: root)
            guard entry.kind == .directory else {
                if isWanted(entry.name) { add(entry, file) }
                continue
            }
            guard entry.path.count < Self.pathByteLimit else {
                let failure = CommandError(.noInput, "\(file): Its path is too long.")
                jobs.append(FileJob(input: file, failure: failure))
                continue
            }
            do throws(CryptorError) {
                let directory = try entry.path.isEmpty ? root : Directory(at: file)
                left += try entries(of: directory, at: entry.path).reversed()
            } catch {
                jobs.append(FileJob(input: file, failure: CommandError(error)))
            }
        }
    }

    /// What is in a directory; nothing if it was visited before.
    private mutating func entries(
        of directory: Directory, at path: [UInt8]
    ) throws(CryptorError) -> [Entry] {
        let (identity, found) = try directory.listing()
        guard directories.insert(identity).inserted else { return [] }
        let start = path.isEmpty ? [] : path + Array("/".utf8)
        return found.map { name, status in
            Entry(path: start + name, name: name, kind: status?.kind)
        }
    }

    private mutating func add(_ entry: Entry, _ file: FileEndpoint) {
        var job = FileJob(input: file, pathFromOperand: entry.path)
        switch entry.kind {
        case .regular where file.isUnfinished:
            // It may hold data that was never verified.
            job.failure = CommandError(
                .noInput,
                "\(file): Its name says that it is unfinished. Remove it if no run is writing it.")
        case .regular:
            break
        case nil:
            // The user may have wanted this file, so it is not left out in silence.
            job.failure = CommandError(.noInput, "\(file): Its type cannot be determined.")
        default:
            return passOver(file)
        }
        jobs.append(job)
    }
}
