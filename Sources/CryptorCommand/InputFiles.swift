import CryptorFiles
import CryptorSystem

/// The files that a subcommand reads: its operands, and with `--recursive` the files in operands that are folders.
struct InputFiles {
    static let recursive = Option(
        "recursive", letter: "r",
        "Work on all regular files in operands that are folders, and in the folders in these; no links in them are followed."
    )
    /// For subcommands that do not name their outputs by a suffix.
    static let suffix = Option(
        "suffix", value: "SUFFIX", "In folders, take only the files whose names end in SUFFIX, such as .rnc.")

    /// The files, without outputs, and with why they cannot be read.
    private(set) var jobs: [FileJob] = []
    /// The folders that were visited. Each is visited once, even if it is found under several names.
    private var folders: Set<FileStatus.Identity> = []

    /// - Parameters:
    ///   - arguments: their operands are the files and folders to read; '-' is standard input.
    ///   - isWanted: whether to read a file that was found in a folder, by its name.
    /// - Throws: `interrupted`, if a signal has come, which ends the walk through folders.
    init(_ arguments: Arguments, where isWanted: (_ name: [UInt8]) -> Bool) throws(CommandError) {
        for word in arguments.operands {
            let file = word.file(dash: .standardInput)
            guard arguments.contains("recursive"), file.descriptor == nil, file.isFolder else {
                jobs.append(FileJob(input: file))
                continue
            }
            // It is opened once, so a folder that takes its place later is not visited. Below it no link is followed,
            // whoever may put one there.
            do throws(CryptorError) { try visit(try OpenFolder(at: file), [], where: isWanted) } catch {
                jobs.append(FileJob(input: file, failure: CommandError(error)))
            }
        }
        if Interruption.signal != 0 { throw .interrupted }
    }

    /// For subcommands that read messages.
    /// - Throws: `noInput`, if the folders hold no such file.
    init(_ arguments: Arguments) throws(CommandError) {
        guard let first = arguments.operands.first else { throw .usage("no FILE is given") }
        let suffix = arguments["suffix"]?.bytes ?? []
        try self.init(arguments, where: { $0.hasEnding(suffix) })
        guard !jobs.isEmpty else { throw CommandError(.noInput, "\(first.shown): It contains no such files.") }
    }

    /// Walks through a folder and the folders in it, each in the order of its names.
    /// - Parameter path: the path of the folder from `root`, which is the folder among the operands.
    private mutating func visit(
        _ root: OpenFolder, _ path: [UInt8], where isWanted: ([UInt8]) -> Bool
    ) throws(CryptorError) {
        let (folder, entries) = try (path.isEmpty ? root : OpenFolder(at: .pathBytes(path, below: root))).listing()
        guard folders.insert(folder).inserted else { return }
        for entry in entries where Interruption.signal == 0 {
            let path = path.isEmpty ? entry.name : path + Array("/".utf8) + entry.name
            let file = FileEndpoint.pathBytes(path, below: root)
            switch entry.status?.kind {
            case .folder?:
                do throws(CryptorError) { try visit(root, path, where: isWanted) } catch {
                    jobs.append(FileJob(input: file, failure: CommandError(error)))
                }
            // The user may have wanted this file, so it is not left out in silence.
            case nil:
                jobs.append(FileJob(input: file, failure: CommandError(.noInput, "\(file): Its type cannot be told.")))
            case .regular? where isWanted(entry.name):
                // An unfinished file may hold data that was never verified.
                let sentence =
                    "\(file): It may be unfinished: files have such names while they are written. Remove it if no run is writing it."
                let isUnfinished = TemporaryFile.isUnfinished(nameBytes: entry.name)
                jobs.append(FileJob(input: file, failure: isUnfinished ? CommandError(.noInput, sentence) : nil))
            default: break
            }
        }
    }
}
