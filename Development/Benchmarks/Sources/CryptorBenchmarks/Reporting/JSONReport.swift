/// Every figure of a run, for programs.
enum JSONReport {
    static func text(_ report: Report) -> String {
        let machine = report.machine
        return JSON.object([
            ("date", .text(machine.date)),
            ("quick", .flag(report.isQuick)),
            (
                "machine",
                .object([
                    ("processor", .text(machine.processor)), ("cores", .number(machine.cores)),
                    ("kernel", .text(machine.kernel)),
                ])
            ),
            ("swift", .text(machine.swift)),
            ("openssl", .text(machine.openSSL)),
            ("library", .text(machine.library)),
            ("ratio", .text(Report.explanation)),
            ("rows", .list(report.findings.map(row))),
        ]).serialized() + "\n"
    }

    private static func row(_ finding: Finding) -> JSON {
        let benchmark = finding.benchmark
        let about: [(String, JSON)] = [
            ("section", .text(benchmark.section.rawValue)), ("name", .text(benchmark.name)),
            ("note", .text(benchmark.note)),
        ]
        return .object(about + outcome(finding))
    }

    private static func outcome(_ finding: Finding) -> [(String, JSON)] {
        switch finding.outcome {
        case .skipped(let reason): [("skipped", .text(reason))]
        case .amounts(let amounts): [("amounts", .list(amounts.map(amount)))]
        case .race(let race): figures(race, target: finding.benchmark.target)
        }
    }

    private static func amount(_ amount: Amount) -> JSON {
        .object([
            ("label", .text(amount.label)), ("value", .number(amount.value)), ("unit", .text(amount.unit.rawValue)),
            ("allowed", amount.allowed.map(JSON.number) ?? .null),
        ])
    }

    private static func figures(_ race: RaceFinding, target: Double?) -> [(String, JSON)] {
        var bytes = JSON.null
        if case .throughput(let byteCount) = race.unit { bytes = .number(byteCount) }
        return [
            ("bytesPerMessage", bytes),
            ("target", target.map(JSON.number) ?? .null),
            ("reached", target.map { .flag(race.reaches($0)) } ?? .null),
            ("ratio", quartiles(race.ratios)),
            ("limit", .text(race.limit.name)),
            ("ours", entry(race.ours, race.unit)),
            ("limits", .list(race.limits.map { entry($0, race.unit) })),
        ]
    }

    private static func entry(_ entry: RaceFinding.Entry, _ unit: Unit) -> JSON {
        var members: [(String, JSON)] = [
            ("name", .text(entry.name)), ("secondsPerMessage", quartiles(entry.wall)),
            ("processorSecondsPerMessage", quartiles(entry.processor)),
        ]
        if case .throughput(let byteCount) = unit {
            members.append(("bytesPerSecond", .number(Double(byteCount) / entry.wall.median)))
            members.append(
                ("processorSecondsPerGigabyte", .number(entry.processor.median / Double(byteCount) * 1e9)))
        }
        members.append(("seconds", .list(entry.samples.map { .number($0.wall) })))
        return .object(members)
    }

    private static func quartiles(_ values: Distribution) -> JSON {
        .object([
            ("median", .number(values.median)), ("lowerQuartile", .number(values.lowerQuartile)),
            ("upperQuartile", .number(values.upperQuartile)),
        ])
    }
}
