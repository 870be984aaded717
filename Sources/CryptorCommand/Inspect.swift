import CryptorFiles

extension Subcommand {
    static let inspect = Subcommand(
        name: "inspect", summary: "Show what is not encrypted in a message: version, salts, IV, size.",
        operands: "FILE...",
        discussion: """
            Needs no password, and can vouch for nothing: what it shows may have been
            altered. '-' is standard input; base64 text is recognised.
            """,
        options: [
            InputFiles.recursive, InputFiles.suffix, Option("json", "Write one JSON object a line for each FILE."),
        ],
        run: { arguments throws(CommandError) in
            let isJSON = arguments.contains("json")
            let jobs = try InputFiles(arguments).found.map { FileJob(input: $0.file, output: nil, failure: $0.failure) }
            if isJSON {
                for job in jobs where job.failure != nil { try Report.tell(JSONObject(job.input, .inputOutput).text) }
            }
            try FilePlan(jobs).run { (job, index) throws(CommandError) in
                try inspect(job.input, isFirst: index == 0, isJSON: isJSON)
            }
        })

    private static func inspect(_ file: FileEndpoint, isFirst: Bool, isJSON: Bool) throws(CommandError) {
        let inspection: MessageInspection
        do throws(CryptorError) {
            inspection = try Cryptor.inspectFile(
                at: file, options: FileOptions(base64: true), progress: { _ in try Interruption.check() })
        } catch {
            if isJSON { try Report.tell(JSONObject(file, error.code).text) }
            throw CommandError(error)
        }
        try Report.tell(
            isJSON ? JSONObject(file, inspection).text : (isFirst ? "" : "\n") + text(file, inspection))
        if let error = inspection.shapeError { throw CommandError(.malformed, "\(file): \(error)") }
    }

    private static func text(_ file: FileEndpoint, _ inspection: MessageInspection) -> String {
        let header = inspection.header
        let ifPassword = inspection.headerIfKeys == nil ? "" : " (if a password)"
        var rows = [("format", "\(header.version)\(inspection.isBase64 ? ", as base64 text" : "")")]
        let credential = header.usesPassword ? "a password" : "keys"
        let unknown = "a password, or keys: version 0 does not say"
        rows.append(("encrypted with", inspection.headerIfKeys == nil ? credential : unknown))
        if inspection.mayNeedShortenedPassword {
            rows.append(("password", "may need --accept-shortened-passwords if it is not ASCII"))
        }
        if let salts = header.salts {
            rows.append(("encryption salt", hexadecimal(salts.encryption) + ifPassword))
            rows.append(("HMAC salt", hexadecimal(salts.hmac) + ifPassword))
        }
        rows.append(("IV", hexadecimal(header.iv) + ifPassword))
        if let keys = inspection.headerIfKeys { rows.append(("", hexadecimal(keys.iv) + " (if keys)")) }
        rows.append(("message", "\(inspection.messageByteCount) bytes"))
        if let count = inspection.plaintextByteCount { rows.append(("plaintext", plaintext(inspection, count))) }
        rows.append(("shape", inspection.shapeError == nil ? "sound" : "not sound"))
        return "\(file)\n\(table(rows))\n"
    }
}

private func plaintext(_ inspection: MessageInspection, _ count: ClosedRange<Int>) -> String {
    guard inspection.headerIfKeys == nil else {
        return "\(count.lowerBound) bytes (if a password) or \(count.upperBound) bytes (if keys)"
    }
    return count.count == 1 ? "\(count.lowerBound) bytes" : "\(count.lowerBound) to \(count.upperBound) bytes"
}

/// What `inspect --json` writes about a file.
private struct JSONObject {
    private var members: [String] = []

    init(_ file: FileEndpoint, _ inspection: MessageInspection) {
        let header = inspection.header
        addName(of: file)
        add("version", "\(header.version.rawValue)")
        if inspection.headerIfKeys == nil { add("credential", text: header.usesPassword ? "password" : "keys") }
        add("mayNeedShortenedPassword", "\(inspection.mayNeedShortenedPassword)")
        if let salts = header.salts {
            add("encryptionSalt", text: hexadecimal(salts.encryption))
            add("hmacSalt", text: hexadecimal(salts.hmac))
        }
        add("iv", text: hexadecimal(header.iv))
        if let keys = inspection.headerIfKeys { add("ivIfKeys", text: hexadecimal(keys.iv)) }
        add("messageByteCount", "\(inspection.messageByteCount)")
        if let count = inspection.plaintextByteCount {
            add("minimumPlaintextByteCount", "\(count.lowerBound)")
            add("maximumPlaintextByteCount", "\(count.upperBound)")
        }
        add("base64", "\(inspection.isBase64)")
        add("shapeIsSound", "\(inspection.shapeError == nil)")
        if let error = inspection.shapeError { add("error", text: error.code.description) }
    }

    init(_ file: FileEndpoint, _ code: CryptorError.Code) {
        addName(of: file)
        add("shapeIsSound", "false")
        add("error", text: code.description)
    }

    var text: String { "{\(members.joined(separator: ","))}\n" }

    private mutating func add(_ name: String, _ value: String) { members.append("\"\(name)\":\(value)") }

    private mutating func add(_ name: String, text: String) { add(name, "\"\(Self.escaped(text))\"") }

    /// Adds the name itself, unquoted, for programs. If it is not UTF-8, its bytes are added as well.
    private mutating func addName(of file: FileEndpoint) {
        if let number = file.descriptor { add("descriptor", "\(number)") }
        guard let path = file.pathBytes else { return }
        add("file", text: String(decoding: path, as: UTF8.self))
        if String(validating: path, as: UTF8.self) == nil { add("fileBytes", text: hexadecimal(path)) }
    }

    /// Escapes text as in RFC 8259, section 7, and also invisible characters, which a terminal might obey.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case _ where scalar == "\"" || scalar == "\\": escaped += "\\\(scalar)"
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
                    escaped += "\\u" + hexadecimal([UInt8(unit >> 8), UInt8(unit & 0xFF)])
                }
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
