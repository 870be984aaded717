/// What a user gets, for people in a hurry: speeds as bars, each above those of its limits. A section has one scale.
enum Headlines {
    private static let left = 330.0
    private static let right = 620.0
    private static let rowHeight = 20.0

    static func text(_ report: Report) -> String {
        let remarks = [
            report.machine.description,
            "Green is CryptorFormat. The bars below a title are to one scale."
                + (report.isQuick ? " A quick run: it says nothing." : ""),
        ]
        var y = Drawing.bodyStart(remarks: remarks.count)
        var body: [String] = []
        for (section, findings) in report.sections {
            body.append(Drawing.text("title", x: 16, y: y + 16, section.rawValue))
            y += 24
            let races = findings.filter(\.benchmark.isHeadline).compactMap {
                finding -> (name: String, race: RaceFinding)? in
                guard case .race(let race) = finding.outcome else { return nil }
                return (finding.benchmark.name, race)
            }
            let least = races.flatMap { [$0.race.ours] + $0.race.limits }.map(\.wall.median).min() ?? 1
            for (name, race) in races { body += group(name, race, least: least, from: &y) }
            y += 8
        }
        return Drawing.document(height: y + 8, heading: "Longer is faster", remarks: remarks, body: body)
    }

    /// - Parameter least: the time that the longest bar stands for.
    private static func group(
        _ name: String, _ race: RaceFinding, least: Double, from y: inout Double
    ) -> [String] {
        let entries = [race.ours] + race.limits
        var lines: [String] = []
        for (index, entry) in entries.enumerated() {
            let isOurs = index == 0
            let end = (right - left) * least / entry.wall.median
            lines += [
                Drawing.text(isOurs ? "label" : "quiet label", x: left - 10, y: y + 14, isOurs ? name : entry.name),
                Drawing.bar(isOurs ? "reached" : "free", x: left, y: y + 3, width: end, height: rowHeight - 6),
                Drawing.text(isOurs ? "value" : "quiet", x: left + end + 8, y: y + 14, speed(entry, race.unit)),
            ]
            y += rowHeight
        }
        y += 6
        return lines
    }

    private static func speed(_ entry: RaceFinding.Entry, _ unit: Unit) -> String {
        let speed = Figures.speed(seconds: entry.wall.median, unit)
        guard case .time = unit else { return speed }
        return "\(speed) each: \(Figures.count(1 / entry.wall.median)) a second"
    }
}
