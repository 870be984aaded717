import CCryptorProcess
import CryptorFiles

/// One line on standard error: which file of several it is, and percentage, bytes, rate and time left over all files, or
/// as many of them as a narrow terminal has room for. It is shown after half a second of work and removed at the end.
final class ProgressMeter {
    static let options = [
        Option("progress", "Show the progress even if standard error is not a terminal."),
        Option("no-progress", "Never show the progress."),
        Option("quiet", letter: "q", "Say nothing but errors."),
    ]

    private static let delay = 0.5
    private static let interval = 0.1
    /// The longest time left that is shown: a year, in seconds.
    private static let longestTime = 365.0 * 24 * 60 * 60

    private let isEnabled: Bool
    /// The sizes of the files, each nil if it is not known. They are floating-point numbers, since the sum of a few
    /// sparse files can exceed what an Int holds.
    private let sizes: [Double?]
    /// When the work began; nil before the first byte.
    private var start: Double?
    private var nextDrawing = 0.0

    /// - Parameters:
    ///   - outputs: where output goes. If one is a terminal, the progress would make both unreadable.
    ///   - sizes: the size of each input, nil if it is not known.
    init(_ arguments: Arguments, outputs: [FileEndpoint] = [], sizes: [Double?]) throws(CommandError) {
        _ = try arguments.onlyOne(of: Self.options)
        isEnabled =
            isatty(STDERR_FILENO) == 1
            ? !arguments.contains("no-progress") && !arguments.contains("quiet")
                && !outputs.contains(where: \.isTerminal)
            : arguments.contains("progress")
        self.sizes = sizes
    }

    /// A progress handler for the library's functions: it shows the progress, and cancels the work after a signal.
    func handler(forFile index: Int) -> FileProgress.Handler {
        // The first file may be worked on again, after a wrong password.
        if index == 0 { start = nil }
        return { [self] progress in
            if Interruption.signal != nil { throw CancellationError() }
            // Until the first byte comes, another command of a pipeline may be prompting on this terminal.
            guard isEnabled, progress.bytesDone > 0 else { return }
            let now = monotonicSeconds()
            guard let start else {
                start = now
                nextDrawing = now + Self.delay
                return
            }
            guard now >= nextDrawing else { return }
            nextDrawing = now + Self.interval
            Report.showPassing(line(index, progress, seconds: now - start))
        }
    }

    private func line(_ index: Int, _ progress: FileProgress, seconds: Double) -> String {
        var done = Double(progress.bytesDone)
        // A message that is read twice has twice its size to be done.
        if let size = sizes[index], let total = progress.totalBytes, total > 0 { done *= size / Double(total) }
        done += sizes[..<index].reduce(0) { $0 + ($1 ?? 0) }
        let file = sizes.count > 1 ? ["file \(index + 1) of \(sizes.count)"] : []
        let rate = done / max(seconds, 0.001)
        let speed = "\(Self.amount(rate))/s"
        let total = sizes.reduce(0) { $0 + ($1 ?? 0) }
        guard !sizes.contains(nil), total > 0 else {
            return Self.fitting([file + [Self.amount(done), speed], file + [Self.amount(done)], file])
        }
        let left = Int(min((max(0, total - done) / max(rate, 1)).rounded(.up), Self.longestTime))
        let percentage = "\(Int(min(100, done * 100 / total))) %"
        let time = "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
        return Self.fitting([
            file + [percentage, "\(Self.amount(done)) of \(Self.amount(total))", speed, time],
            [percentage, speed, time], [percentage, time], [percentage],
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
