import CryptorFiles

/// What is wrong with a message, and what to do about it.
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

    var status: ExitStatus {
        if opens { return .opens }
        return cause == nil ? .malformed : .success
    }

    func text(_ file: FileEndpoint) -> String {
        var text = "\(file): "
        if let cause { text += "\(cause.rawValue). " }
        text += advice
        if !possible.isEmpty {
            text += " Possible: \(possible.map(\.rawValue).joined(separator: ", "))."
        }
        return text + "\n"
    }

    func json(_ file: FileEndpoint) -> String {
        let cause = cause.map { Self.quoted($0.rawValue) } ?? "null"
        let list = possible.map { Self.quoted($0.rawValue) }.joined(separator: ", ")
        let members = [
            "\"file\": \(Self.quoted(file.description))",
            "\"cause\": \(cause)",
            "\"advice\": \(Self.quoted(advice))",
            "\"possible\": [\(list)]",
        ]
        return "{\(members.joined(separator: ", "))}\n"
    }

    /// A string of JSON. Control characters have been escaped in it before.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
