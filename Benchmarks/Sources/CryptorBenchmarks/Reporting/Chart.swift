/// The ratios as horizontal bars, in SVG: one panel a section, each with a scale of its own. It reads well on light and
/// dark pages, and asks for no font but the reader's.
enum Chart {
    private static let width = 860.0
    /// Where the bars begin and end.
    private static let left = 360.0
    private static let right = 760.0
    private static let rowHeight = 22.0

    static func text(_ report: Report) -> String {
        var body: [String] = []
        var y = 82.0
        for (section, findings) in report.sections {
            let bars = findings.compactMap(Bar.init)
            guard !bars.isEmpty else { continue }
            body.append(panel(section.rawValue, bars, from: &y))
        }
        let height = y + 8
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
            width="\(number(width))" height="\(number(height))" role="img" aria-labelledby="title">
            <title id="title">How near the limits: the limit's time divided by ours</title>
            <style>
            \(style)
            </style>
            <rect class="paper" width="100%" height="100%"/>
            <text class="heading" x="16" y="26">The limit's time divided by ours: longer is faster</text>
            <text class="quiet" x="16" y="46">\(escaped(report.machine.description))</text>
            <text class="quiet" x="16" y="64">\(legend)\(report.isQuick ? " A quick run: it says nothing." : "")</text>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    private static let legend =
        "Green reaches its target, the upright mark; orange does not; grey has none. Dashed: the limit."

    private struct Bar {
        let name: String
        let ratio: Double
        let target: Double?

        init?(_ finding: Finding) {
            guard case .race(let race) = finding.outcome else { return nil }
            name = finding.benchmark.name
            ratio = race.ratios.median
            target = finding.benchmark.target
        }
    }

    private static func panel(_ title: String, _ bars: [Bar], from y: inout Double) -> String {
        var lines = [#"<text class="title" x="16" y="\#(number(y + 16))">\#(escaped(title))</text>"#]
        let most = max(1.2, bars.flatMap { [$0.ratio, $0.target ?? 0] }.max() ?? 1)
        func x(_ ratio: Double) -> Double { left + (right - left) * ratio / most }
        y += 26
        let top = y
        for bar in bars {
            lines.append(row(bar, y: y, x: x))
            y += rowHeight
        }
        lines.append(
            #"<line class="limit" x1="\#(number(x(1)))" x2="\#(number(x(1)))" y1="\#(number(top))" "#
                + #"y2="\#(number(y))"/>"#)
        lines.append(#"<text class="axis" x="\#(number(x(1)))" y="\#(number(y + 12))">limit</text>"#)
        y += 30
        return lines.joined(separator: "\n")
    }

    private static func row(_ bar: Bar, y: Double, x: (Double) -> Double) -> String {
        let kind = bar.target.map { bar.ratio < $0 ? "short" : "reached" } ?? "free"
        var lines = [
            #"<text class="label" x="\#(number(left - 10))" y="\#(number(y + 15))">\#(escaped(bar.name))</text>"#,
            #"<rect class="\#(kind)" x="\#(number(left))" y="\#(number(y + 4))" "#
                + #"width="\#(number(x(bar.ratio) - left))" height="\#(number(rowHeight - 8))" rx="2"/>"#,
        ]
        var end = x(bar.ratio)
        if let target = bar.target {
            lines.append(
                #"<line class="target" x1="\#(number(x(target)))" x2="\#(number(x(target)))" y1="\#(number(y + 1))" "#
                    + #"y2="\#(number(y + rowHeight - 1))"/>"#)
            end = max(end, x(target))
        }
        lines.append(
            #"<text class="value" x="\#(number(max(end, x(1)) + 8))" y="\#(number(y + 15))">"#
                + #"\#(Figures.ratio(bar.ratio))</text>"#)
        return lines.joined(separator: "\n")
    }

    private static let style = """
        text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
        .paper { fill: #ffffff; }
        .heading { font-size: 16px; font-weight: 600; }
        .title { font-size: 13px; font-weight: 600; }
        .quiet, .axis { fill: #656d76; font-size: 11px; }
        .label { text-anchor: end; }
        .axis { text-anchor: middle; }
        .reached { fill: #2da66f; }
        .short { fill: #d9822b; }
        .free { fill: #8296ab; }
        .limit { stroke: #656d76; stroke-width: 1; stroke-dasharray: 3 3; }
        .target { stroke: #1f2328; stroke-width: 2; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .paper { fill: #0d1117; }
          .quiet, .axis { fill: #8d96a0; }
          .limit { stroke: #8d96a0; }
          .target { stroke: #e6edf3; }
        }
        """

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : Figures.decimal(value, 1)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
