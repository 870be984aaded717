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
        ownOptions: [InputFiles.recursive, InputFiles.suffix],
        run: { arguments throws(CommandError) in
            let jobs = try InputFiles(arguments).jobs
            try FilePlan(jobs).run { (job, index) throws(CommandError) in
                let inspection = try commandError(
                    try Cryptor.inspectFile(
                        at: job.input, options: FileOptions(base64: true), progress: Interruption.check))
                try Report.tell((index == 0 ? "" : "\n") + text(job.input, inspection))
                if let error = inspection.shapeError { throw CommandError(.malformed, "\(job.input): \(error)") }
            }
        })

    private static func text(_ file: FileEndpoint, _ inspection: MessageInspection) -> String {
        let header = inspection.header
        let kind = header.usesPassword ? "a password" : "keys"
        let ifKeys = inspection.headerIfKeys
        let ifPassword = ifKeys == nil ? "" : " (if a password)"
        var rows = [
            ("format", "version \(header.version.rawValue)\(inspection.isBase64 ? ", as base64 text" : "")"),
            ("encrypted with", ifKeys == nil ? kind : "a password, or keys: version 0 does not say"),
        ]
        if inspection.mayNeedShortenedPassword {
            rows.append(("password", "may need --accept-shortened-passwords if it is not ASCII"))
        }
        if let salts = header.salts {
            rows.append(("encryption salt", hexadecimal(salts.encryption) + ifPassword))
            rows.append(("HMAC salt", hexadecimal(salts.hmac) + ifPassword))
        }
        rows.append(("IV", hexadecimal(header.iv) + ifPassword))
        if let ifKeys { rows.append(("", hexadecimal(ifKeys.iv) + " (if keys)")) }
        rows.append(("message", "\(inspection.messageByteCount) bytes"))
        if let count = inspection.plaintextByteCount {
            let (least, most) = (count.lowerBound, count.upperBound)
            let either =
                ifKeys == nil
                ? "\(least) to \(most) bytes" : "\(least) bytes (if a password) or \(most) bytes (if keys)"
            rows.append(("plaintext", least == most ? "\(least) bytes" : either))
        }
        rows.append(("shape", inspection.shapeError == nil ? "sound" : "not sound"))
        return "\(file)\n\(Layout.table(rows))\n"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map(\.hexadecimal).joined() }
}
