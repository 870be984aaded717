import CryptorFiles

/// One line on standard error: which file of several it is, and its percentage, rate and time left.
/// It is shown after half a second of work and removed at the end.
final class ProgressMeter {
    static let options = [
        Option("progress", "Show the progress even if standard error is not a terminal."),
        Option("quiet", letter: "q", "Say only errors and warnings."),
    ]

    private let isEnabled: Bool
    private let fileCount: Int
    /// Nil before the first byte of the first file.
    private var nextDrawing: ContinuousClock.Instant?

    /// - Parameter withOutput: whether a terminal gets the output, which the progress would make
    ///   unreadable.
    init(_ arguments: Arguments, withOutput: Bool = false, fileCount: Int) throws(CommandError) {
        try arguments.allowOne(of: "progress", "quiet")
        let isShown = !arguments.contains("quiet") && !withOutput
        isEnabled =
            FileEndpoint.descriptor(STDERR_FILENO).isTerminal
            ? isShown : arguments.contains("progress")
        self.fileCount = fileCount
    }

    /// A progress handler for the library's functions: it shows the progress, and cancels the work
    /// after a signal.
    func handler(forFile index: Int) -> (FileProgress) throws -> Void {
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
        var parts = fileCount > 1 ? ["file \(index + 1) of \(fileCount)"] : []
        guard let total = progress.totalBytes.map(Double.init), total > 0 else {
            return (parts + [Self.amount(done), "\(Self.amount(rate))/s"]).joined(separator: ", ")
        }
        // At most a year is shown.
        let left = Int(min((max(0, total - done) / max(rate, 1)).rounded(.up), 365 * 24 * 60 * 60))
        parts += ["\(Int(min(100, done * 100 / total))) %", "\(Self.amount(rate))/s"]
        parts.append("\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left")
        return parts.joined(separator: ", ")
    }

    private static func amount(_ bytes: Double) -> String {
        let tenths = Int(bytes * 10 / 1_048_576)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
