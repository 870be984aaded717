/// All results of a run.
struct Report {
    /// The explanation that every form of the report has once.
    static let explanation = """
        Ratio: the limit's time divided by ours, above 1 ours is faster. Ours and its limits run in turn, round by round; \
        shown are the medians, and in brackets the quartiles of the rounds' ratios.
        """

    let machine: Machine
    let isQuick: Bool
    var findings: [Finding] = []

    var sections: [(section: Section, findings: [Finding])] {
        Section.allCases.compactMap { section in
            let found = findings.filter { $0.benchmark.section == section }
            return found.isEmpty ? nil : (section, found)
        }
    }

    /// The same run with only its headline rows.
    var headlines: Report {
        Report(machine: machine, isQuick: isQuick, findings: findings.filter(\.benchmark.isHeadline))
    }

    /// Seconds of processor time for 10^9 bytes, for large messages, the command, lines and files.
    var processorTimes: [(name: String, seconds: Double)] {
        var names: Set<String> = []
        return findings.flatMap { finding in
            guard [.large, .command, .lines, .files].contains(finding.benchmark.section),
                case .race(let race) = finding.outcome, case .throughput(let byteCount) = race.unit
            else { return [(name: String, seconds: Double)]() }
            return ([race.ours] + race.limits).map { entry in
                ("\(finding.benchmark.name): \(entry.name)", entry.processor.median / Double(byteCount) * 1e9)
            }
        }.filter { names.insert($0.name).inserted }
    }
}
