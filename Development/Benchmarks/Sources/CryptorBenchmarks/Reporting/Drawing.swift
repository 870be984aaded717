/// SVG that is readable on light and dark pages and uses the reader's own font.
enum Drawing {
    static let width = 860.0

    /// - Parameters:
    ///   - height: the height of the drawing.
    ///   - heading: a line in large letters.
    ///   - remarks: lines below the heading.
    ///   - body: elements that begin at ``bodyStart(remarks:)``.
    static func document(height: Double, heading: String, remarks: [String], body: [String]) -> String {
        let quiet = remarks.enumerated().map { index, remark in
            text("quiet", x: 16, y: 46 + 18 * Double(index), remark)
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
            width="\(number(width))" height="\(number(height))" role="img" aria-labelledby="title">
            <title id="title">\(escaped(heading))</title>
            <style>
            \(style)
            </style>
            <rect class="paper" width="100%" height="100%"/>
            \(text("heading", x: 16, y: 26, heading))
            \(quiet.joined(separator: "\n"))
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    /// The height at which there is room below the remarks.
    static func bodyStart(remarks: Int) -> Double { 46 + 18 * Double(remarks) }

    static func text(_ kind: String, x: Double, y: Double, _ words: String) -> String {
        #"<text class="\#(kind)" x="\#(number(x))" y="\#(number(y))">\#(escaped(words))</text>"#
    }

    static func bar(_ kind: String, x: Double, y: Double, width: Double, height: Double) -> String {
        #"<rect class="\#(kind)" x="\#(number(x))" y="\#(number(y))" "#
            + #"width="\#(number(width))" height="\#(number(height))" rx="2"/>"#
    }

    private static let style = """
        text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
        .paper { fill: #ffffff; }
        .heading { font-size: 16px; font-weight: 600; }
        .title { font-size: 13px; font-weight: 600; }
        .quiet { fill: #656d76; font-size: 11px; }
        .label { text-anchor: end; }
        .reached { fill: #2da66f; }
        .free { fill: #8296ab; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .paper { fill: #0d1117; }
          .quiet { fill: #8d96a0; }
        }
        """

    static func number(_ value: Double) -> String {
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
