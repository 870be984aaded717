import CryptorFiles
import CryptorSystem

/// The outputs of a run whose permissions or times the file system refused to set. One warning at
/// the end of the run names the first of them.
enum AttributeWarning {
    private struct Tally {
        /// Whether the output that is being written is one of them.
        var isNoted = false
        var count = 0
        var first: FileEndpoint?
        /// The first plaintext to which others have more rights than to its source.
        var widened: FileEndpoint?
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
            tally.count += 1
            tally.first = tally.first ?? output
            if isWidened { tally.widened = tally.widened ?? output }
        }
        return result
    }

    /// The permissions of others than the owner.
    static func rights(to file: FileEndpoint) -> FileMode {
        file.currentStatus.map { $0.mode & 0o077 } ?? 0
    }

    static func tell() {
        let tally = tally.withLock { $0 }
        guard let first = tally.first else { return }
        var text = "\(first): The file system refused to set its permissions or times"
        if tally.count > 1 {
            text +=
                ", and those of \(tally.count - 1) more \(tally.count == 2 ? "output" : "outputs")"
        }
        text += "."
        if let widened = tally.widened {
            text += " Others have more rights to the plaintext \(widened) than to its source."
        }
        Report.complain("warning", text)
    }
}
