import CryptorFiles

/// Writes JSON.
enum JSONText {
    /// A string of JSON.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted += "\\"
                quoted.unicodeScalars.append(scalar)
            case _ where scalar.properties.generalCategory == .control:
                quoted += "\\u00\(UInt8(truncatingIfNeeded: scalar.value).hexadecimal)"
            default:
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// The members of an object that name a file. A name that is not UTF-8 is also there as the
    /// hexadecimal digits of its bytes.
    static func members(naming file: FileEndpoint) -> String {
        guard let path = file.pathBytes else { return "\"file\": \(quoted(file.description))" }
        let name = "\"file\": \(quoted(String(decoding: path, as: UTF8.self)))"
        if String(validating: path, as: UTF8.self) != nil { return name }
        return "\(name), \"fileBytes\": \"\(path.map(\.hexadecimal).joined())\""
    }
}
