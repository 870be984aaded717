/// What a user gets, for people in a hurry: speeds as bars, each above those of its limits. A
/// section has one scale. The drawing is readable on light and dark pages and uses the reader's own
/// font.
enum Headlines {
    private static let left = 330.0
    private static let right = 620.0
    private static let width = 860.0
    private static let rowHeight = 20.0

    static func text(_ report: Report) -> String {
        let remarks = [
            report.machine.description,
            "Longer bars are faster. Green is CryptorFormat. Bars below a title are to one scale."
                + (report.isQuick ? " A quick run: it says nothing." : ""),
        ]
        var lines = [text("heading", x: 16, y: 26, "Speeds")]
        var y = 46.0
        for remark in remarks {
            lines.append(text("quiet", x: 16, y: y, remark))
            y += 18
        }
        for (section, races) in report.headlines {
            lines.append(text("title", x: 16, y: y + 16, section.rawValue))
            y += 24
            let least = races.flatMap(\.race.entries).map(\.wall.median).min() ?? 1
            for (name, race) in races { lines += group(name, race, least: least, from: &y) }
            y += 8
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \
            viewBox="0 0 \(number(width)) \(number(y + 8))" \
            width="\(number(width))" height="\(number(y + 8))" role="img" aria-labelledby="title">
            <title id="title">Speeds of CryptorFormat, and of what limits it or does the same, \
            as bars</title>
            <style>
            \(style)
            </style>
            <rect class="paper" width="100%" height="100%"/>
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    /// - Parameter least: the time that the longest bar stands for.
    private static func group(
        _ name: String, _ race: RaceFinding, least: Double, from y: inout Double
    ) -> [String] {
        var lines: [String] = []
        for (index, entry) in race.entries.enumerated() {
            let isOurs = index == 0
            let length = (right - left) * least / entry.wall.median
            lines += [
                text(
                    isOurs ? "label" : "quiet label", x: left - 10, y: y + 14,
                    isOurs ? name : entry.name),
                """
                <rect class="\(isOurs ? "reached" : "free")" \
                x="\(number(left))" y="\(number(y + 3))" \
                width="\(number(length))" height="\(number(rowHeight - 6))" rx="2"/>
                """,
                text(
                    isOurs ? "value" : "quiet", x: left + length + 8, y: y + 14,
                    speed(entry, race.unit)),
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

    private static func text(_ kind: String, x: Double, y: Double, _ words: String) -> String {
        let escaped = words.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return #"<text class="\#(kind)" x="\#(number(x))" y="\#(number(y))">\#(escaped)</text>"#
    }

    private static func number(_ value: Double) -> String {
        Figures.decimal(value, value == value.rounded() ? 0 : 1)
    }

    private static let style = """
        text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
        .paper { fill: #ffffff; }
        .heading { font-size: 16px; font-weight: 600; }
        .title { font-size: 13px; font-weight: 600; }
        .quiet { fill: #57606a; font-size: 11px; }
        .label { text-anchor: end; }
        .reached { fill: #2da66f; }
        .free { fill: #8296ab; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .paper { fill: #000000; }
          .quiet { fill: #b1bac4; }
        }
        """
}
