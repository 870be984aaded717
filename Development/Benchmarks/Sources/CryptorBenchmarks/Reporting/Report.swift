/// All results of a run.
struct Report {
    static let explanation = """
        Ratio: the limit's time divided by ours, above 1 ours is faster. \
        Ours and its limits run in turn, round by round; shown are the medians, \
        and in brackets the quartiles of the rounds' ratios.
        """

    let machine: Machine
    let isQuick: Bool
    var findings: [Finding] = []

    /// The races of the chart, by section.
    var headlines: [(section: Section, races: [(name: String, race: RaceFinding)])] {
        Section.allCases.compactMap { section in
            let races = findings.compactMap { finding -> (name: String, race: RaceFinding)? in
                guard finding.benchmark.isHeadline, finding.benchmark.section == section,
                    case .race(let race) = finding.outcome
                else { return nil }
                return (finding.benchmark.name, race)
            }
            return races.isEmpty ? nil : (section, races)
        }
    }

    /// Seconds of processor time for 10^9 bytes, for large messages, the command, lines and files.
    var processorTimes: [(name: String, seconds: Double)] {
        findings.flatMap { finding in
            guard [.large, .command, .lines, .files].contains(finding.benchmark.section),
                case .race(let race) = finding.outcome, case .throughput(let byteCount) = race.unit
            else { return [(name: String, seconds: Double)]() }
            return race.entries.map { entry in
                (
                    "\(finding.benchmark.name): \(entry.name)",
                    entry.processor.median / Double(byteCount) * 1e9
                )
            }
        }
    }
}
