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
        ownOptions: [
            InputFiles.recursive, InputFiles.suffix,
            Option(
                "accept", value: "VERSIONS",
                "Also read version 0 (v0), in files and pipes of at most 256 MiB. Other versions "
                    + "are read anyway."),
        ],
        run: { arguments throws(CommandError) in
            let accepting = try AcceptedVersions(arguments)
            try FilePlan(try InputFiles(arguments).jobs).run { (job, index) throws(CommandError) in
                let separator = index == 0 ? "" : "\n"
                let inspection: MessageInspection
                if try accepting.mayBeVersion0(job.input) {
                    let (message, isBase64) = try wholeMessage(job.input)
                    if message.first == 0 {
                        let text = try version0Text(job.input, message, isBase64: isBase64)
                        return try Report.tell(separator + text)
                    }
                    inspection = try inspect(message, of: job.input, isBase64: isBase64)
                } else {
                    inspection = try commandError(
                        try Cryptor.inspectFile(
                            at: job.input, options: FileOptions(base64: true),
                            progress: Interruption.check))
                }
                try Report.tell(separator + text(job.input, inspection))
                if let error = inspection.shapeError {
                    throw CommandError(.malformed, "\(job.input): \(error)")
                }
            }
        })

    private static func text(_ file: FileEndpoint, _ inspection: MessageInspection) -> String {
        let header = inspection.header
        let rows: [(name: String, value: String?)] = [
            (
                "format",
                "version \(header.version.rawValue)\(inspection.isBase64 ? ", as base64 text" : "")"
            ),
            ("encrypted with", header.usesPassword ? "a password" : "keys"),
            ("encryption salt", header.salts.map { hexadecimal($0.encryption) }),
            ("HMAC salt", header.salts.map { hexadecimal($0.hmac) }),
            ("IV", hexadecimal(header.iv)),
            ("message", "\(inspection.messageByteCount) bytes"),
            ("plaintext", inspection.plaintextByteCount.map(byteCounts)),
            ("shape", inspection.shapeError == nil ? "sound" : "not sound"),
        ]
        return
            "\(file)\n\(Layout.table(rows.compactMap { row in row.value.map { (row.name, $0) } }))\n"
    }

    // MARK: What may be of version 0

    private static func wholeMessage(
        _ file: FileEndpoint
    ) throws(CommandError) -> (message: [UInt8], isBase64: Bool) {
        let limit = Cryptor.version0ByteLimit
        let bytes = try commandError(
            try file.firstBytes(limit + 1, progress: Interruption.check))
        guard bytes.count <= limit else {
            throw CommandError(
                .inputOutput,
                "\(file): It has more than 256 MiB, the most for a message that may be of "
                    + "version 0.",
                hint: "Without --accept, messages of any length are read, but for version 0.")
        }
        let start = Array(bytes.prefix(Header.base64ProbeByteCount))
        guard Header.isBase64Text(start) else { return (bytes, false) }
        do throws(CryptorError) {
            return (try Cryptor.message(fromBase64: bytes), true)
        } catch {
            throw CommandError(error.naming(file.name))
        }
    }

    /// What a message of another version shows, which was read whole as well.
    private static func inspect(
        _ message: [UInt8], of file: FileEndpoint, isBase64: Bool
    ) throws(CommandError) -> MessageInspection {
        do throws(CryptorError) {
            return MessageInspection(
                header: try Header(parsing: message), messageByteCount: message.count,
                isBase64: isBase64)
        } catch {
            throw CommandError(error.naming(file.name))
        }
    }

    /// What a message of version 0 shows. It does not say whether it was encrypted with a password.
    private static func version0Text(
        _ file: FileEndpoint, _ message: [UInt8], isBase64: Bool
    ) throws(CommandError) -> String {
        guard let plaintext = Cryptor.version0PlaintextByteCount(ofMessage: message) else {
            throw CommandError(
                .malformed,
                "\(file): It starts with a zero, but its length or its end, or another byte of its "
                    + "start, is unlike any message of version 0.",
                hint: "'rncryptor diagnose' tells more.")
        }
        let mayBePassword = plaintext.count > 1
        let rows = [
            ("format", "version 0\(isBase64 ? ", as base64 text" : "")"),
            ("encrypted with", mayBePassword ? "a password or keys: it does not say" : "keys"),
            ("message", "\(message.count) bytes"), ("plaintext", byteCounts(plaintext)),
            ("shape", "sound"),
        ]
        return "\(file)\n\(Layout.table(rows))\n"
    }

    private static func byteCounts(_ range: ClosedRange<Int>) -> String {
        range.count == 1
            ? "\(range.lowerBound) bytes" : "\(range.lowerBound) to \(range.upperBound) bytes"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map(\.hexadecimal).joined()
    }
}
