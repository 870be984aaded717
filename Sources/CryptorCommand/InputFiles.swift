import CryptorFiles
import CryptorSystem

/// The files that a subcommand reads: its operands, and with `--recursive` the files in operands
/// that are folders.
struct InputFiles {
    static let recursive = Option(
        "recursive", letter: "r",
        "Work on regular files in operands that are folders, and in folders in these; no links in them are followed."
    )
    /// For subcommands that do not name their outputs by a suffix.
    static let suffix = Option(
        "suffix", value: "SUFFIX",
        "In folders, take only the files whose names end in SUFFIX, such as .rnc.")

    /// The files, without outputs, and with why they cannot be read.
    private(set) var jobs: [FileJob] = []
    /// The folders that were visited. Each is visited once, even if it is found under several
    /// names.
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
            // It is opened once, so a folder that takes its place later is not visited. Below it no
            // link is followed, whoever may put one there.
            do throws(CryptorError) {
                visit(try OpenFolder(at: file), at: file, where: isWanted)
            } catch {
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
        guard !jobs.isEmpty else {
            throw CommandError(.noInput, "\(first.shown): It contains no such files.")
        }
    }

    /// Walks through a folder and the folders in it, each in the order of its names.
    private mutating func visit(
        _ root: OpenFolder, at operand: FileEndpoint, where isWanted: ([UInt8]) -> Bool
    ) {
        /// What was found, with its path from `root`. The next one is the last.
        var left: [(path: [UInt8], name: [UInt8], kind: FileStatus.Kind?)] = [([], [], .folder)]
        while let (path, name, kind) = left.popLast(), Interruption.signal == 0 {
            let file = path.isEmpty ? operand : .pathBytes(path, below: root)
            var failure: CommandError?
            switch kind {
            // Linux takes no longer paths, and the way to a folder is opened name by name.
            case .folder? where path.count < 4096:
                do throws(CryptorError) {
                    let (folder, entries) = try (path.isEmpty ? root : OpenFolder(at: file))
                        .listing()
                    left += (folders.insert(folder).inserted ? entries.reversed() : []).map {
                        name, status in
                        (path.isEmpty ? name : path + Array("/".utf8) + name, name, status?.kind)
                    }
                    continue
                } catch { failure = CommandError(error) }
            case .folder?: failure = CommandError(.noInput, "\(file): Its path is too long.")
            // The user may have wanted this file, so it is not left out in silence.
            case nil: failure = CommandError(.noInput, "\(file): Its type cannot be told.")
            // An unfinished file may hold data that was never verified.
            case .regular? where isWanted(name) && TemporaryFile.isUnfinished(nameBytes: name):
                let sentence =
                    "It may be unfinished, as its name says. Remove it if no run is writing it."
                failure = CommandError(.noInput, "\(file): \(sentence)")
            case .regular? where isWanted(name): break
            default: continue
            }
            jobs.append(FileJob(input: file, failure: failure))
        }
    }
}
