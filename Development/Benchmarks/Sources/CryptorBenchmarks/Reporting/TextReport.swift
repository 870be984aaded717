/// The report as it grows, for the terminal.
struct TextReport {
    private var section: Section?

    mutating func lines(for finding: Finding) -> String {
        var lines: [String] = []
        if finding.benchmark.section != section {
            section = finding.benchmark.section
            lines.append("\n\(finding.benchmark.section.rawValue)")
        }
        switch finding.outcome {
        case .race(let race): lines += self.lines(finding.benchmark, race)
        case .amounts(let amounts): lines += self.lines(finding.benchmark, amounts)
        case .skipped(let reason): lines.append("  \(finding.benchmark.name)  skipped: \(reason)")
        }
        return lines.joined(separator: "\n")
    }

    private func lines(_ benchmark: Benchmark, _ race: RaceFinding) -> [String] {
        let ratios = race.ratios
        var line = "  " + padded(benchmark.name, 50) + leftPadded(speed(race.ours, race), 10)
        line += "  ratio " + Figures.ratio(ratios.median)
        line += " (\(Figures.ratio(ratios.lowerQuartile))–\(Figures.ratio(ratios.upperQuartile)))"
        if let target = benchmark.target {
            line += "  target \(Figures.ratio(target)) \(race.reaches(target) ? "reached" : "NOT reached")"
        }
        let limits = race.limits.map { "\($0.name) \(speed($0, race))" }.joined(separator: ", ")
        return [line, "      limit: \(race.limits.count > 1 ? "the fastest of: " : "")\(limits)"]
    }

    private func lines(_ benchmark: Benchmark, _ amounts: [Amount]) -> [String] {
        ["  " + padded(benchmark.name, 70) + amounts.map(Self.text).joined(separator: ", ")]
    }

    static func text(_ amount: Amount) -> String {
        let limit = Figures.binary(amount.allowed)
        return "\(amount.label) \(Figures.binary(amount.byteCount)) "
            + "(target at most \(limit) \(amount.byteCount <= amount.allowed ? "reached" : "NOT reached"))"
    }

    static func processorTimes(_ report: Report) -> String? {
        let times = report.processorTimes
        guard !times.isEmpty else { return nil }
        return "\nSeconds of processors for a gigabyte\n"
            + times.map { "  \(Figures.significant($0.seconds))  \($0.name)" }.joined(separator: "\n")
    }

    private func speed(_ entry: RaceFinding.Entry, _ race: RaceFinding) -> String {
        Figures.speed(seconds: entry.wall.median, race.unit)
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private func leftPadded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
