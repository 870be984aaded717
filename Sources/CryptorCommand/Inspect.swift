import CryptorFiles

extension Subcommand {
    static let inspect = Subcommand(
        name: "inspect",
        summary: "Show what is not encrypted in a message: version, salts, IV, size.",
        operands: "FILE...",
        discussion: """
            Needs no password, and verifies nothing: what it shows may have been altered. '-' is standard input;
            base64 text is recognised.
            """,
        examples: ["rncryptor inspect notes.rnc", "rncryptor inspect -r --suffix .rnc archive"],
        ownOptions: [InputFiles.recursive, InputFiles.suffix],
        run: { arguments throws(CommandError) in
            try FilePlan(try InputFiles(arguments).jobs).run { (job, index) throws(CommandError) in
                let inspection = try commandError(
                    try Cryptor.inspectFile(
                        at: job.input, options: FileOptions(base64: true),
                        progress: Interruption.check))
                try Report.tell((index == 0 ? "" : "\n") + text(job.input, inspection))
                if let error = inspection.shapeError {
                    throw CommandError(.malformed, "\(job.input): \(error)")
                }
            }
        })

    private static func text(_ file: FileEndpoint, _ inspection: MessageInspection) -> String {
        let header = inspection.header
        let doubt = header.version.optionsTellCredential ? "" : ", or keys: version 0 does not say"
        let plaintext = inspection.plaintextByteCount.map { count in
            count.count == 1
                ? "\(count.lowerBound) bytes" : "\(count.lowerBound) to \(count.upperBound) bytes"
        }
        let rows: [(name: String, value: String?)] = [
            (
                "format",
                "version \(header.version.rawValue)\(inspection.isBase64 ? ", as base64 text" : "")"
            ),
            ("encrypted with", header.usesPassword ? "a password\(doubt)" : "keys"),
            ("encryption salt", header.salts.map { hexadecimal($0.encryption) }),
            ("HMAC salt", header.salts.map { hexadecimal($0.hmac) }),
            ("IV", hexadecimal(header.iv)),
            ("message", "\(inspection.messageByteCount) bytes"), ("plaintext", plaintext),
            ("shape", inspection.shapeError == nil ? "sound" : "not sound"),
        ]
        return
            "\(file)\n\(Layout.table(rows.compactMap { row in row.value.map { (row.name, $0) } }))\n"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map(\.hexadecimal).joined()
    }
}
