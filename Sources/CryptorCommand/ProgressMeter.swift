import CCryptorProcess
import CryptorFormat
import Synchronization

/// One line on standard error: percentage, bytes, rate and time left, or as many of them as a narrow terminal has room
/// for. It is shown after half a second of work and removed at the end. It does not count time in which the process was
/// stopped.
///
/// Several files may be worked on at once; their bytes are added up.
final class ProgressMeter: Sendable {
    static let options = [
        Option("progress", "Show the progress even if standard error is not a terminal."),
        Option("no-progress", "Never show the progress."),
        Option("quiet", letter: "q", "Say nothing but errors."),
    ]

    private static let delay = 0.5
    private static let interval = 0.1
    /// The longest time left that is shown: a year, in seconds.
    private static let longestTime = 365.0 * 24 * 60 * 60

    private struct State {
        var done: [Int: FileProgress] = [:]
        /// When the work began; nil before the first byte.
        var start: Double?
        var lastCall = 0.0
        var nextDrawing = 0.0
    }

    private let isEnabled: Bool
    private let state = Mutex(State())

    /// - Parameter outputs: where output goes. If one is a terminal, the progress would make both unreadable.
    init(_ arguments: Arguments, outputs: [FileEndpoint] = []) throws(CommandError) {
        _ = try arguments.onlyOne(of: Self.options)
        isEnabled =
            isatty(STDERR_FILENO) == 1
            ? !arguments.contains("no-progress") && !arguments.contains("quiet")
                && !outputs.contains(where: \.isTerminal)
            : arguments.contains("progress")
    }

    /// A progress handler for the library's functions: it shows the progress, and cancels the work after a signal.
    func handler(forFile index: Int) -> CryptorPool.ProgressHandler {
        // The only file is worked on again, after a wrong password: all counts from the start.
        state.withLock { state in
            if state.done[index] != nil { state = State() }
        }
        return { [self] progress in
            try Interruption.check()
            // Until the first byte comes, another command of a pipeline may be prompting on this terminal.
            guard isEnabled, progress.bytesDone > 0 else { return }
            let now = monotonicSeconds()
            let text: String? = state.withLock { state in
                state.done[index] = progress
                let start = start(of: &state, now)
                guard now >= state.nextDrawing else { return nil }
                state.nextDrawing = now + Self.interval
                return line(state.done.values, seconds: now - start)
            }
            // The lock is released before this: a terminal that is held by Ctrl-S would hold up all threads.
            if let text { Report.showPassing(text) }
        }
    }

    /// When the work would have started, had it never been stopped.
    private func start(of state: inout State, _ now: Double) -> Double {
        defer { state.lastCall = now }
        let wasStopped = cprocess_was_continued()
        guard let start = state.start else {
            state.start = now
            state.nextDrawing = now + Self.delay
            return now
        }
        guard wasStopped else { return start }
        let pause = now - state.lastCall
        state.start = start + pause
        state.nextDrawing = min(state.nextDrawing + pause, now + Self.delay)
        return start + pause
    }

    private func line(_ files: some Collection<FileProgress>, seconds: Double) -> String {
        // The sum is floating-point, since a few sparse files can exceed what an Int holds.
        let done = files.reduce(0.0) { $0 + Double($1.bytesDone) }
        let rate = done / max(seconds, 0.001)
        let speed = "\(Self.amount(rate))/s"
        let totals = files.compactMap(\.totalBytes)
        let total = totals.reduce(0.0) { $0 + Double($1) }
        guard totals.count == files.count, total > 0 else {
            return Self.fitting([[Self.amount(done), speed], [Self.amount(done)]])
        }
        let left = Int(min((max(0, total - done) / max(rate, 1)).rounded(.up), Self.longestTime))
        let percentage = "\(Int(min(100, done * 100 / total))) %"
        let time = "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
        return Self.fitting([
            [percentage, "\(Self.amount(done)) of \(Self.amount(total))", speed, time], [percentage, speed, time],
            [percentage, time], [percentage],
        ])
    }

    /// The first of the lines that leaves a column of the terminal free at its current width, or an empty line.
    private static func fitting(_ lines: [[String]]) -> String {
        let columns = cprocess_columns(STDERR_FILENO)
        let texts = lines.map { $0.joined(separator: ", ") }
        return texts.first { columns == 0 || $0.count < columns } ?? ""
    }

    /// A number of bytes with its unit, such as "1.2 GiB".
    private static func amount(_ bytes: Double) -> String {
        var value = bytes
        var units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
        while value >= 1024, units.count > 1 {
            value /= 1024
            units = units.dropFirst()
        }
        let tenths = Int(value * 10)
        return units.first == "bytes" ? "\(Int(value)) bytes" : "\(tenths / 10).\(tenths % 10) \(units.first ?? "")"
    }
}
