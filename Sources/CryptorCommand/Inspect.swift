import CryptorFiles

extension Subcommand {
    static let inspect = Subcommand(
        name: "inspect",
        summary: "Show what is not encrypted in a message: version, salts, IV, size.",
        operands: "FILE...",
        discussion: """
            Needs no password, and verifies nothing: what it shows may have been altered. '-' is
            standard input; base64 text is recognised.
            """,
        examples: ["rncryptor inspect notes.rnc", "rncryptor inspect -r --suffix .rnc archive"],
        ownOptions: [
            InputFiles.recursive,
            InputFiles.suffix,
            AcceptedVersions.version0Option,
        ],
        run: { arguments throws(CommandError) in
            let accepted = try AcceptedVersions(arguments)
            let plan = try FilePlan(try InputFiles(arguments).jobs)
            try plan.run { (job, index) throws(CommandError) in
                let separator = index == 0 ? "" : "\n"
                let isWhole = try commandError(try accepted.mayBeVersion0(job.input))
                let found = try isWhole ? inspectWhole(job.input) : inspect(job.input)
                try Report.tell(separator + text(job.input, found.rows))
                if let error = found.shapeError {
                    throw CommandError(.malformed, "\(job.input): \(error)")
                }
            }
        })

    /// What a message shows.
    private struct Findings {
        let rows: [(String, String)]
        /// What is wrong with its length; nil if its shape is sound.
        let shapeError: CryptorError?
    }

    private static func text(
        _ file: FileEndpoint, _ rows: [(String, String)]
    ) -> String {
        "\(file)\n\(Layout.table(rows))\n"
    }

    private static func inspect(_ file: FileEndpoint) throws(CommandError) -> Findings {
        let inspection = try commandError(
            try Cryptor.inspectFile(
                at: file, options: FileOptions(base64: true), progress: Interruption.check))
        return findings(inspection)
    }

    private static func findings(_ inspection: MessageInspection) -> Findings {
        let header = inspection.header
        var rows = [
            ("format", format("\(header.version.rawValue)", isBase64: inspection.isBase64)),
            ("encrypted with", header.usesPassword ? "a password" : "keys"),
        ]
        if let salts = header.salts {
            rows.append(("encryption salt", hexadecimal(salts.encryption)))
            rows.append(("HMAC salt", hexadecimal(salts.hmac)))
        }
        rows.append(("IV", hexadecimal(header.iv)))
        rows.append(("message", "\(inspection.messageByteCount) bytes"))
        if let range = inspection.plaintextByteCount {
            rows.append(("plaintext", byteCounts(range)))
        }
        let shapeError = inspection.shapeError
        rows.append(("shape", shapeError == nil ? "sound" : "not sound"))
        return Findings(rows: rows, shapeError: shapeError)
    }

    private static func format(_ version: String, isBase64: Bool) -> String {
        isBase64 ? "version \(version), as base64 text" : "version \(version)"
    }

    private static func byteCounts(_ range: ClosedRange<Int>) -> String {
        range.count == 1
            ? "\(range.lowerBound) bytes" : "\(range.lowerBound) to \(range.upperBound) bytes"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map(\.hexadecimal).joined()
    }

    // MARK: What may be of version 0

    /// What is read whole, because it may be of version 0.
    private static func inspectWhole(_ file: FileEndpoint) throws(CommandError) -> Findings {
        let (message, isBase64) = try commandError(
            try Cryptor.wholeMessage(
                at: file, options: FileOptions(base64: true), progress: Interruption.check))
        if message.first == 0 { return try version0Findings(file, message, isBase64: isBase64) }
        do throws(CryptorError) {
            return findings(
                MessageInspection(
                    header: try MessageHeader(parsing: message),
                    messageByteCount: message.count,
                    isBase64: isBase64))
        } catch {
            throw CommandError(error, in: file)
        }
    }

    /// What a message of version 0 shows. It does not say whether it was encrypted with a password.
    private static func version0Findings(
        _ file: FileEndpoint, _ message: [UInt8], isBase64: Bool
    ) throws(CommandError) -> Findings {
        guard let plaintext = Cryptor.version0PlaintextByteCount(ofMessage: message) else {
            throw CommandError(
                .malformed,
                """
                \(file): It starts with a zero, but its length or its end, or another byte of its \
                start, is unlike any message of version 0.
                """,
                hint: "'rncryptor diagnose' tells more.")
        }
        let mayBePassword = plaintext.count > 1
        let rows = [
            ("format", format("0", isBase64: isBase64)),
            ("encrypted with", mayBePassword ? "a password or keys: it does not say" : "keys"),
            ("message", "\(message.count) bytes"),
            ("plaintext", byteCounts(plaintext)),
            ("shape", "sound"),
        ]
        return Findings(rows: rows, shapeError: nil)
    }
}
