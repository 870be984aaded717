/// The report as an article of the documentation, so that no figure is copied by hand.
enum MarkdownTable {
    static func text(_ report: Report) -> String {
        var lines = ["# Results", "", "Written by `cryptor-benchmarks --table`.", ""]
        lines += [report.machine.description, "", Report.explanation]
        if report.isQuick { lines += ["", "A quick run: these figures say nothing about speed."] }
        for (section, findings) in report.sections {
            lines += ["", "## \(section.rawValue)", ""]
            let races = findings.filter { if case .amounts = $0.outcome { false } else { true } }
            if !races.isEmpty { lines += raceTable(races) }
            let amounts = findings.filter { if case .amounts = $0.outcome { true } else { false } }
            if !amounts.isEmpty { lines += amountTable(amounts) }
        }
        let times = report.processorTimes
        if !times.isEmpty {
            lines += ["", "## Seconds of processors for a gigabyte", "", "| | s |", "|---|---:|"]
            lines += times.map { row([$0.name, Figures.significant($0.seconds)]) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func raceTable(_ findings: [Finding]) -> [String] {
        ["| | ours | limit | ratio | target |", "|---|---:|---|---:|---|"]
            + findings.map { finding in
                let benchmark = finding.benchmark
                switch finding.outcome {
                case .race(let race): return row([benchmark.name] + cells(benchmark, race))
                case .skipped(let reason): return row([benchmark.name, "", "skipped: \(reason)", "", ""])
                case .amounts: return ""
                }
            }
    }

    private static func cells(_ benchmark: Benchmark, _ race: RaceFinding) -> [String] {
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

    private static func amountTable(_ findings: [Finding]) -> [String] {
        ["| | |", "|---|---|"]
            + findings.map { finding in
                guard case .amounts(let amounts) = finding.outcome else { return "" }
                return row([finding.benchmark.name, amounts.map(TextReport.text).joined(separator: ", ")])
            }
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.map(escaped).joined(separator: " | ") + " |"
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { $0 == "|" ? Array("\\|") : $0.isNewline ? [" "] : [$0] })
    }
}
