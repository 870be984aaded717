import CryptorFiles

extension Subcommand {
    static let inspect = Subcommand(
        name: "inspect", summary: "Show what is not encrypted in a message: version, salts, IV, size.",
        operands: "FILE...",
        discussion: """
            Needs no password, and can vouch for nothing: what it shows may have been
            altered. '-' is standard input; base64 text is recognised.
            """,
        examples: ["rncryptor inspect notes.rnc", "rncryptor inspect -r --suffix .rnc archive"],
        options: [InputFiles.recursive, InputFiles.suffix],
        run: { arguments throws(CommandError) in
            let jobs = try InputFiles(arguments).found.map { FileJob(input: $0.file, output: nil, failure: $0.failure) }
            try FilePlan(jobs).run { (job, index) throws(CommandError) in
                let inspection = try commandError { () throws(CryptorError) in
                    try Cryptor.inspectFile(
                        at: job.input, options: FileOptions(base64: true), progress: { _ in try Interruption.check() })
                }
                try Report.tell((index == 0 ? "" : "\n") + text(job.input, inspection))
                if let error = inspection.shapeError { throw CommandError(.malformed, "\(job.input): \(error)") }
            }
        })

    private static func text(_ file: FileEndpoint, _ inspection: MessageInspection) -> String {
        let header = inspection.header
        let ifPassword = inspection.headerIfKeys == nil ? "" : " (if a password)"
        var rows = [("format", "version \(header.version.rawValue)\(inspection.isBase64 ? ", as base64 text" : "")")]
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
        return "\(file)\n\(Layout.table(rows))\n"
    }
}

private func plaintext(_ inspection: MessageInspection, _ count: ClosedRange<Int>) -> String {
    guard inspection.headerIfKeys == nil else {
        return "\(count.lowerBound) bytes (if a password) or \(count.upperBound) bytes (if keys)"
    }
    return count.count == 1 ? "\(count.lowerBound) bytes" : "\(count.lowerBound) to \(count.upperBound) bytes"
}

private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String { bytes.map(\.hexadecimal).joined() }
