import CryptorFiles

struct Diagnosis {
    /// Nil if the message opens as it is, or no cause is certain.
    let cause: Cause?
    let advice: String
    var possible: [Cause]
    let opens: Bool

    init(_ cause: Cause?, _ advice: String, possible: [Cause] = [], opens: Bool = false) {
        self.cause = cause
        self.advice = advice
        self.possible = possible
        self.opens = opens
    }

    var status: ExitStatus { opens ? .opens : cause == nil ? .malformed : .success }

    func text(_ file: FileEndpoint) -> String {
        let list =
            possible.isEmpty
            ? "" : " Possible: \(possible.map(\.rawValue).joined(separator: ", "))."
        return "\(file): \(cause.map { "\($0.rawValue). " } ?? "")\(advice)\(list)\n"
    }

    func json(_ file: FileEndpoint) -> String {
        func quoted(_ text: String) -> String {
            "\""
                + text.unicodeScalars.map {
                    "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)"
                }.joined() + "\""
        }
        let list = possible.map { quoted($0.rawValue) }.joined(separator: ", ")
        return
            "{\"file\": \(quoted(file.description)), \"cause\": \(cause.map { quoted($0.rawValue) } ?? "null"), "
            + "\"advice\": \(quoted(advice)), \"possible\": [\(list)]}\n"
    }
}
