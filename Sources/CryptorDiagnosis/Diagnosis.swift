/// What is wrong with a message, and what to do about it.
package struct Diagnosis {
    /// In the order in which to undo them. Empty if the message opens as it is, or no cause is
    /// certain.
    package let causes: [Cause]
    package internal(set) var advice: String
    package private(set) var possible: [Cause]
    package let opens: Bool

    package init(
        _ causes: [Cause], _ advice: String, possible: [Cause] = [], opens: Bool = false
    ) {
        self.causes = causes
        self.advice = advice
        self.possible = possible
        self.opens = opens
    }

    mutating func add(possible cause: Cause) {
        if !possible.contains(cause) { possible.append(cause) }
    }

    /// That a file is UTF-16, if its first line tells; nil if that does not.
    package static func ofUTF16(_ line: [UInt8]) -> Diagnosis? {
        let look = ByteLook(Contents(line) { false })
        for alteration in Alteration.texts where alteration.cause == .utf16 {
            guard let site = alteration.sites(look).first else { continue }
            return Diagnosis([.utf16], alteration.advice(site, look))
        }
        return nil
    }

    package var text: String {
        causes.isEmpty ? sentences : "\(names). \(sentences)"
    }

    /// The certain causes.
    package var names: String { causes.map(\.rawValue).joined(separator: ", ") }

    /// What to do, and what is only possible.
    package var sentences: String {
        if possible.isEmpty { return advice }
        return "\(advice) Also possible: \(possible.map(\.possibility).joined(separator: "; "))."
    }
}
