import CryptorDiagnosis

/// What was found in all files or lines.
struct DiagnosisTally {
    var hasUnreadable = false
    private var hasUnexplained = false
    private var hasCauses = false

    mutating func count(_ diagnosis: Diagnosis) {
        if !diagnosis.causes.isEmpty {
            hasCauses = true
        } else if !diagnosis.opens {
            hasUnexplained = true
        }
    }

    var status: ExitStatus {
        if hasUnreadable { return .noInput }
        if hasUnexplained { return .malformed }
        return hasCauses ? .success : .opens
    }
}

extension Diagnosis {
    /// The members of an object of JSON.
    /// - Parameter opens: `null` if there is no message; whether it opens, if not given.
    func members(opens: String? = nil) -> String {
        func list(_ causes: [Cause]) -> String {
            "[\(causes.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))]"
        }
        let members = [
            "\"opens\": \(opens ?? "\(self.opens)")",
            "\"causes\": \(list(causes))",
            "\"advice\": \(JSONText.quoted(advice))",
            "\"possible\": \(list(possible))",
        ]
        return members.joined(separator: ", ")
    }
}
