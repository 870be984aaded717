extension [UInt8] {
    /// Whether a terminal may get these bytes: UTF-8 text without control characters, which it
    /// would obey. Only tabs, newlines and a carriage return right before a newline are allowed.
    package var isHarmlessText: Bool {
        guard let text = String(validating: self, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy(Self.isHarmless) && !hasBareCarriageReturn
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": true
        default: scalar.properties.generalCategory != .control
        }
    }

    /// Whether there is a carriage return that no newline follows.
    private var hasBareCarriageReturn: Bool {
        indices.contains { index in
            guard self[index] == UInt8(ascii: "\r") else { return false }
            let next = index + 1
            return next == count || self[next] != UInt8(ascii: "\n")
        }
    }
}
