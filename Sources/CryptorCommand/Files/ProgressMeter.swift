import CryptorFiles
import CryptorSystem

/// One line on standard error: which file of several it is, and the percentage, rate and time left
/// of all. It is shown after half a second of work, in the foreground only, and removed at the end.
final class ProgressMeter {
    static let options = [
        Option("progress", "Show progress even if standard error is not a terminal."),
        Option("quiet", letter: "q", goesWithLines: true, "Print only errors and warnings."),
    ]

    /// Shows the progress of a file, and cancels the work on it after a signal.
    typealias Handler = (FileProgress) throws -> Void

    private let isEnabled: Bool
    /// The bytes of each input; nil for what is no regular file. Empty if nothing is shown.
    private let sizes: [Int?]
    private let fileCount: Int
    /// Nil before the first byte of the first file.
    private var nextDrawing: ContinuousClock.Instant?
    /// When the handler was called last, and for how long the work has gone on until then.
    private var lastCall: ContinuousClock.Instant?
    private var worked = Duration.zero

    /// - Parameter withOutput: whether a terminal gets the output, which the progress would make
    ///   unreadable.
    init(
        _ arguments: Arguments, withOutput: Bool = false, files: [FileEndpoint]
    ) throws(CommandError) {
        try arguments.allowOne(of: "progress", "quiet")
        if FileEndpoint.descriptor(STDERR_FILENO).isTerminal {
            isEnabled = !arguments.contains("quiet") && !withOutput
        } else {
            isEnabled = arguments.contains("progress")
        }
        fileCount = files.count
        sizes = isEnabled ? files.map(Self.size) : []
    }

    private static func size(of file: FileEndpoint) -> Int? {
        guard let status = file.currentStatus, status.kind == .regular else { return nil }
        return status.byteCount
    }

    func handler(forFile index: Int) -> Handler {
        { [self] progress in
            try Interruption.check(progress)
            // Until the first byte comes, another command of a pipeline may be prompting on this
            // terminal.
            guard isEnabled, progress.bytesDone > 0 else { return }
            let now = ContinuousClock.now
            countWork(until: now)
            let drawing = nextDrawing ?? now + .milliseconds(500)
            nextDrawing = now < drawing ? drawing : now + .milliseconds(100)
            guard now >= drawing, cprocess_is_in_background(STDERR_FILENO) == 0 else { return }
            Report.showPassing(line(index, progress))
        }
    }

    /// The handler is called every 50 ms at least, however slow the input is. A longer time was a
    /// stop, as by Ctrl-Z, and does not count.
    private func countWork(until now: ContinuousClock.Instant) {
        let passed = lastCall.map { now - $0 } ?? .zero
        if passed < .seconds(1) { worked += passed }
        lastCall = now
    }

    /// What fits into the terminal. Most important is what comes first.
    private func line(_ index: Int, _ progress: FileProgress) -> String {
        let seconds = max(worked / .seconds(1), 0.001)
        // A message that is read twice counts once.
        let fraction = progress.totalBytes.map { total in
            min(1, Double(progress.bytesDone) / Double(max(total, 1)))
        }
        let size = sizes[index].map(Double.init) ?? Double(progress.totalBytes ?? 0) / 2
        let done = doneBefore(index) + (fraction.map { size * $0 } ?? Double(progress.bytesDone))
        let rate = done / seconds
        var parts: [String] = []
        if fileCount > 1 { parts.append("file \(index + 1) of \(fileCount)") }
        let total = total(ofFile: index, size: fraction == nil ? nil : size)
        parts.append(total.map { Self.percentage(done, of: $0) } ?? Self.amount(done))
        parts.append("\(Self.amount(rate))/s")
        if let total { parts.append("\(Self.time(for: total - done, atRate: rate)) left") }
        let columns = Int(cprocess_terminal_columns(STDERR_FILENO))
        // A terminal that says 0 does not know yet.
        let limit = columns > 0 ? columns - 1 : 79
        while parts.count > 1, parts.joined(separator: ", ").count > limit { parts.removeLast() }
        return String(parts.joined(separator: ", ").prefix(limit))
    }

    private func doneBefore(_ index: Int) -> Double {
        sizes[..<index].reduce(0) { $0 + Double($1 ?? 0) }
    }

    /// The bytes of all files; nil if one is of unknown size.
    private func total(ofFile index: Int, size: Double?) -> Double? {
        guard let size else { return nil }
        let others = sizes[..<index] + sizes[(index + 1)...]
        guard !sizes[(index + 1)...].contains(nil) else { return nil }
        return others.reduce(size) { $0 + Double($1 ?? 0) }
    }

    private static func percentage(_ done: Double, of total: Double) -> String {
        "\(Int(min(100, done * 100 / max(total, 1))))%"
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
