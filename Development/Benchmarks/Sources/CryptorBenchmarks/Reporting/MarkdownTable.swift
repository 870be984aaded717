/// The report as tables for an article of the documentation, so that no figure is copied by hand.
enum MarkdownTable {
    static let head = ["| | ours | limit | ratio | target |", "|---|---:|---|---:|---|"]

    static func row(_ finding: Finding) -> String {
        let name = finding.benchmark.name
        switch finding.outcome {
        case .race(let race): return cells([name] + columns(finding.benchmark, race))
        case .skipped(let reason): return cells([name, "", "skipped: \(reason)", "", ""])
        case .amounts(let amounts): return cells([name, amounts.map(text).joined(separator: ", ")])
        }
    }

    static func processorTimes(_ report: Report) -> [String] {
        let times = report.processorTimes
        guard !times.isEmpty else { return [] }
        return ["", "## Seconds of processors for a gigabyte", "", "| | s |", "|---|---:|"]
            + times.map { cells([$0.name, Figures.significant($0.seconds)]) }
    }

    private static func columns(_ benchmark: Benchmark, _ race: RaceFinding) -> [String] {
        func speed(_ entry: RaceFinding.Entry) -> String {
            Figures.speed(seconds: entry.wall.median, race.unit)
        }
        let limits = race.limits.map { "\($0.name) \(speed($0))" }.joined(separator: ", ")
        let (ratio, low, high) = (
            race.ratios.median, race.ratios.lowerQuartile, race.ratios.upperQuartile
        )
        let target = benchmark.target.map { target in
            "\(Figures.decimal(target, 2)) \(reached(ratio >= target))"
        }
        return [
            speed(race.ours), (race.limits.count > 1 ? "the fastest of: " : "") + limits,
            "\(Figures.decimal(ratio, 2)) (\(Figures.decimal(low, 2))–\(Figures.decimal(high, 2)))",
            target ?? "–",
        ]
    }

    private static func text(_ amount: Amount) -> String {
        let bytes = Figures.binary(amount.byteCount)
        let allowed = Figures.binary(Amount.allowed)
        let isReached = amount.byteCount <= Amount.allowed
        return "\(amount.label) \(bytes) (target at most \(allowed) \(reached(isReached)))"
    }

    private static func reached(_ isReached: Bool) -> String {
        isReached ? "reached" : "**not reached**"
    }

    private static func cells(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}
