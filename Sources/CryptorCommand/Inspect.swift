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
        let doubt = header.usesPassword && !header.version.optionsTellCredential
        var rows = [
            ("format", "version \(header.version.rawValue)\(inspection.isBase64 ? ", as base64 text" : "")"),
            ("encrypted with", kind + (doubt ? ", or keys: version 0 does not say" : "")),
        ]
        if let salts = header.salts {
            rows.append(("encryption salt", hexadecimal(salts.encryption)))
            rows.append(("HMAC salt", hexadecimal(salts.hmac)))
        }
        rows.append(("IV", hexadecimal(header.iv)))
        rows.append(("message", "\(inspection.messageByteCount) bytes"))
        if let count = inspection.plaintextByteCount {
            let (least, most) = (count.lowerBound, count.upperBound)
            rows.append(("plaintext", least == most ? "\(least) bytes" : "\(least) to \(most) bytes"))
        }
        rows.append(("shape", inspection.shapeError == nil ? "sound" : "not sound"))
        return "\(file)\n\(Layout.table(rows))\n"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map(\.hexadecimal).joined() }
}
