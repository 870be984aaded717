/// What is wrong with a message, and what to do about it.
struct Diagnosis {
    /// In the order in which to undo them. Empty if the message opens as it is, or no cause is
    /// certain.
    let causes: [Cause]
    let advice: String
    var possible: [Cause]
    let opens: Bool

    init(_ causes: [Cause], _ advice: String, possible: [Cause] = [], opens: Bool = false) {
        self.causes = causes
        self.advice = advice
        self.possible = possible
        self.opens = opens
    }

    var text: String {
        var text = ""
        if !causes.isEmpty { text += "\(causes.map(\.rawValue).joined(separator: ", ")). " }
        text += advice
        if !possible.isEmpty {
            text += " Also possible: \(possible.map(\.possibility).joined(separator: "; "))."
        }
        return text
    }

    /// The members of an object of JSON.
    var json: String {
        func list(_ causes: [Cause]) -> String {
            "[\(causes.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))]"
        }
        let members = [
            "\"opens\": \(opens)",
            "\"causes\": \(list(causes))",
            "\"advice\": \(JSONText.quoted(advice))",
            "\"possible\": \(list(possible))",
        ]
        return members.joined(separator: ", ")
    }
}
