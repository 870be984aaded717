import CryptorFiles
import CryptorSystem

/// The outputs of a run whose permissions or times the file system refused to set, and directories
/// whose permissions were left alone. One warning of each kind, at the end of the run, names the
/// first.
enum AttributeWarning {
    private struct Tally {
        /// Whether the output that is being written is one of them.
        var isNoted = false
        var count = 0
        var first: FileEndpoint?
        /// The first plaintext to which others have more rights than to its source.
        var widened: FileEndpoint?
        var directoryCount = 0
        var firstDirectory: FileEndpoint?

        mutating func add(_ output: FileEndpoint) {
            count += 1
            first = first ?? output
        }
    }

    private static let tally = Lock(Tally())

    /// Notes what a progress handler is told.
    static func note(_ progress: FileProgress) {
        if progress.lacksAttributes { tally.withLock { $0.isNoted = true } }
    }

    /// Calls `work`, which publishes an output.
    /// - Parameter source: the message, if the output is its plaintext.
    static func watch<Result>(
        _ output: FileEndpoint, plaintextOf source: FileEndpoint? = nil,
        _ work: () throws(CryptorError) -> Result
    ) throws(CryptorError) -> Result {
        tally.withLock { $0.isNoted = false }
        let result = try work()
        guard tally.withLock({ $0.isNoted }) else { return result }
        let isWidened = source.map { rights(to: output) & ~rights(to: $0) != 0 } ?? false
        tally.withLock { tally in
            tally.add(output)
            if isWidened { tally.widened = tally.widened ?? output }
        }
        return result
    }

    /// The permissions of others than the owner.
    static func rights(to file: FileEndpoint) -> FileMode {
        file.currentStatus.map { $0.mode & 0o077 } ?? 0
    }

    /// Adds a directory that was made.
    static func add(directory: FileEndpoint, _ rights: DirectoryDescriptor.Rights) {
        tally.withLock { tally in
            switch rights {
            case .set:
                break
            case .refused:
                tally.add(directory)
            case .leftAlone:
                tally.directoryCount += 1
                tally.firstDirectory = tally.firstDirectory ?? directory
            }
        }
    }

    static func tell() {
        let tally = tally.withLock { $0 }
        if let first = tally.first {
            var text = "\(first): The file system refused to set its permissions or times"
            text += others(than: tally.count, "output") + "."
            if let widened = tally.widened {
                text += " Others have more rights to the plaintext \(widened) than to its source."
            }
            Report.complain("warning", text)
        }
        if let first = tally.firstDirectory {
            let others = others(than: tally.directoryCount, "directory")
            Report.complain(
                "warning",
                """
                \(first): It does not look like the directory that was just made there, so its \
                permissions were left alone\(others).
                """)
        }
    }

    private static func others(than count: Int, _ name: String) -> String {
        switch count {
        case 1: ""
        case 2: ", and those of another \(name)"
        default: ", and those of \(count - 1) others"
        }
    }
}
