import CryptorFiles

/// One line on standard error: which file of several it is, and its percentage, rate and time left.
/// It is shown after half a second of work and removed at the end.
final class ProgressMeter {
    static let options = [
        Option("progress", "Show the progress even if standard error is not a terminal."),
        Option("quiet", letter: "q", goesWithLines: true, "Say only errors and warnings."),
    ]

    /// Shows the progress of a file, and cancels the work on it after a signal.
    typealias Handler = (FileProgress) throws -> Void

    private let isEnabled: Bool
    private let fileCount: Int
    /// Nil before the first byte of the first file.
    private var nextDrawing: ContinuousClock.Instant?

    /// - Parameter withOutput: whether a terminal gets the output, which the progress would make
    ///   unreadable.
    init(_ arguments: Arguments, withOutput: Bool = false, fileCount: Int) throws(CommandError) {
        try arguments.allowOne(of: "progress", "quiet")
        self.fileCount = fileCount
        if FileEndpoint.descriptor(STDERR_FILENO).isTerminal {
            isEnabled = !arguments.contains("quiet") && !withOutput
        } else {
            isEnabled = arguments.contains("progress")
        }
    }

    func handler(forFile index: Int) -> Handler {
        var start: ContinuousClock.Instant?
        return { [self] progress in
            try Interruption.check(progress)
            // Until the first byte comes, another command of a pipeline may be prompting on this
            // terminal.
            guard isEnabled, progress.bytesDone > 0 else { return }
            let now = ContinuousClock.now
            let begin = start ?? now
            start = begin
            let drawing = nextDrawing ?? now + .milliseconds(500)
            nextDrawing = now < drawing ? drawing : now + .milliseconds(100)
            if now >= drawing {
                Report.showPassing(line(index, progress, seconds: (now - begin) / .seconds(1)))
            }
        }
    }

    /// It has less than 60 columns, so no usual terminal breaks it.
    private func line(_ index: Int, _ progress: FileProgress, seconds: Double) -> String {
        let done = Double(progress.bytesDone)
        let rate = done / max(seconds, 0.001)
        let total = progress.totalBytes.map(Double.init) ?? 0
        var parts: [String] = []
        if fileCount > 1 { parts.append("file \(index + 1) of \(fileCount)") }
        parts.append(total > 0 ? Self.percentage(done, of: total) : Self.amount(done))
        parts.append("\(Self.amount(rate))/s")
        if total > 0 { parts.append("\(Self.time(for: total - done, atRate: rate)) left") }
        return parts.joined(separator: ", ")
    }

    private static func percentage(_ done: Double, of total: Double) -> String {
        "\(Int(min(100, done * 100 / total))) %"
    }

    /// In minutes and seconds, at most a year.
    private static func time(for bytes: Double, atRate rate: Double) -> String {
        let seconds = (max(0, bytes) / max(rate, 1)).rounded(.up)
        let left = Int(min(seconds, 365 * 24 * 60 * 60))
        let padding = left % 60 < 10 ? "0" : ""
        return "\(left / 60):\(padding)\(left % 60)"
    }

    private static func amount(_ bytes: Double) -> String {
        let tenths = Int(bytes * 10 / 1_048_576)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
