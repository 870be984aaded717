/// The report as rows for the terminal, and as an article of the documentation, so that no figure is copied by hand.
enum MarkdownTable {
    static func text(_ report: Report) -> String {
        var lines = ["# Results", "", "Written by `cryptor-benchmarks --table`.", ""]
        lines += [report.machine.description, "", Report.explanation]
        if report.isQuick { lines += ["", "A quick run: these figures say nothing about speed."] }
        for (section, findings) in report.sections {
            lines += ["", "## \(section.rawValue)", ""]
            let isOfAmounts = if case .amounts = findings[0].outcome { true } else { false }
            lines += isOfAmounts ? ["| | |", "|---|---|"] : head
            lines += findings.map(row)
        }
        lines += processorTimes(report) ?? []
        return lines.joined(separator: "\n") + "\n"
    }

    static func processorTimes(_ report: Report) -> [String]? {
        let times = report.processorTimes
        guard !times.isEmpty else { return nil }
        return ["", "## Seconds of processors for a gigabyte", "", "| | s |", "|---|---:|"]
            + times.map { cells([$0.name, Figures.significant($0.seconds)]) }
    }

    /// The head of a table of races.
    static let head = ["| | ours | limit | ratio | target |", "|---|---:|---|---:|---|"]

    static func row(_ finding: Finding) -> String {
        let name = finding.benchmark.name
        switch finding.outcome {
        case .race(let race): return cells([name] + columns(finding.benchmark, race))
        case .skipped(let reason): return cells([name, "", "skipped: \(reason)", "", ""])
        case .amounts(let amounts): return cells([name, amounts.map(text).joined(separator: ", ")])
        }
    }

    private static func columns(_ benchmark: Benchmark, _ race: RaceFinding) -> [String] {
        func speed(_ entry: RaceFinding.Entry) -> String { Figures.speed(seconds: entry.wall.median, race.unit) }
        let limits = race.limits.map { "\($0.name) \(speed($0))" }.joined(separator: ", ")
        let ratios = race.ratios
        let target = benchmark.target.map {
            "\(Figures.ratio($0)) \(race.reaches($0) ? "reached" : "**not reached**")"
        }
        return [
            speed(race.ours), (race.limits.count > 1 ? "the fastest of: " : "") + limits,
            "\(Figures.ratio(ratios.median)) (\(Figures.ratio(ratios.lowerQuartile))–"
                + "\(Figures.ratio(ratios.upperQuartile)))",
            target ?? "–",
        ]
    }

    private static func text(_ amount: Amount) -> String {
        let limit = Figures.binary(amount.allowed)
        return "\(amount.label) \(Figures.binary(amount.byteCount)) "
            + "(target at most \(limit) \(amount.byteCount <= amount.allowed ? "reached" : "**not reached**"))"
    }

    private static func cells(_ cells: [String]) -> String {
        "| " + cells.map(escaped).joined(separator: " | ") + " |"
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { $0 == "|" ? Array("\\|") : $0.isNewline ? [" "] : [$0] })
    }
}
