/// The ratios as horizontal bars: one panel for each section, with its own scale.
enum Chart {
    /// Where the bars begin and end.
    private static let left = 360.0
    private static let right = 760.0
    private static let rowHeight = 22.0

    static func text(_ report: Report) -> String {
        var body: [String] = []
        let remarks = [
            report.machine.description, legend + (report.isQuick ? " A quick run: it says nothing." : ""),
        ]
        var y = Drawing.bodyStart(remarks: remarks.count)
        for (section, findings) in report.sections {
            let bars = findings.compactMap(Bar.init)
            guard !bars.isEmpty else { continue }
            body.append(panel(section.rawValue, bars, from: &y))
        }
        return Drawing.document(
            height: y + 8, heading: "The limit's time divided by ours: longer is faster", remarks: remarks, body: body)
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
        var lines = [Drawing.text("title", x: 16, y: y + 16, title)]
        let most = max(1.2, bars.flatMap { [$0.ratio, $0.target ?? 0] }.max() ?? 1)
        func x(_ ratio: Double) -> Double { left + (right - left) * ratio / most }
        y += 26
        let top = y
        for bar in bars {
            lines.append(row(bar, y: y, x: x))
            y += rowHeight
        }
        lines.append(
            #"<line class="limit" x1="\#(Drawing.number(x(1)))" x2="\#(Drawing.number(x(1)))" y1="\#(Drawing.number(top))" "#
                + #"y2="\#(Drawing.number(y))"/>"#)
        lines.append(Drawing.text("axis", x: x(1), y: y + 12, "limit"))
        y += 30
        return lines.joined(separator: "\n")
    }

    private static func row(_ bar: Bar, y: Double, x: (Double) -> Double) -> String {
        let kind = bar.target.map { bar.ratio < $0 ? "short" : "reached" } ?? "free"
        var lines = [
            Drawing.text("label", x: left - 10, y: y + 15, bar.name),
            Drawing.bar(kind, x: left, y: y + 4, width: x(bar.ratio) - left, height: rowHeight - 8),
        ]
        var end = x(bar.ratio)
        if let target = bar.target {
            lines.append(
                #"<line class="target" x1="\#(Drawing.number(x(target)))" x2="\#(Drawing.number(x(target)))" y1="\#(Drawing.number(y + 1))" "#
                    + #"y2="\#(Drawing.number(y + rowHeight - 1))"/>"#)
            end = max(end, x(target))
        }
        lines.append(Drawing.text("value", x: max(end, x(1)) + 8, y: y + 15, Figures.ratio(bar.ratio)))
        return lines.joined(separator: "\n")
    }
}
