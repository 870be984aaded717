/// A value of JSON (RFC 8259).
enum JSON {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([JSON])
    /// The members are written in this order.
    case object([(name: String, value: JSON)])
    case null

    static func number(_ value: Int) -> JSON { .number(Double(value)) }

    func serialized(indentation: Int = 0) -> String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let value):
            if !value.isFinite {
                "null"
            } else if value == value.rounded() && value.magnitude < 1e15 {
                "\(Int(value))"
            } else {
                "\(value)"
            }
        case .flag(let value): "\(value)"
        case .null: "null"
        case .list(let values):
            "[" + values.map { $0.serialized(indentation: indentation) }.joined(separator: ", ") + "]"
        case .object(let members):
            block(
                members.map { "\(Self.quoted($0.name)): \($0.value.serialized(indentation: indentation + 1))" },
                indentation)
        }
    }

    private func block(_ members: [String], _ indentation: Int) -> String {
        let margin = String(repeating: "  ", count: indentation)
        return "{\n" + members.map { "\(margin)  \($0)" }.joined(separator: ",\n") + "\n\(margin)}"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
