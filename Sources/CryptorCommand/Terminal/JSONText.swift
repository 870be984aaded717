import CryptorFiles

/// Writes JSON.
enum JSONText {
    /// A string of JSON.
    static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = []
        // Text that is in a string already is UTF-8.
        try? JSONString.append(Array(text.utf8), to: &quoted)
        return String(decoding: quoted, as: UTF8.self)
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
