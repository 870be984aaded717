import CryptorFiles

extension Subcommand {
    static let inspect = Subcommand(
        name: "inspect",
        summary: "Show the unencrypted parts of a message: version, salts, IV, size.",
        operands: "FILE...",
        discussion: """
            Needs no password and verifies nothing: anything that it shows may have been altered.
            '-' is standard input; base64 text is recognised.
            """,
        examples: ["rncryptor inspect notes.rnc", "rncryptor inspect -r --suffix .rnc archive"],
        ownOptions: [
            InputFiles.recursive,
            InputFiles.suffix,
            Option(
                "json",
                """
                Write a line of JSON for each FILE. It has file, version, credential (if the \
                message tells it), base64, messageByteCount, shapeIsSound and the other \
                properties of the message; or file and error.
                """),
            AcceptedVersions.version0Option,
        ],
        run: { arguments in
            let accepted = try AcceptedVersions(arguments)
            let writesJSON = arguments.contains("json")
            let plan = try FilePlan(
                try InputFiles(arguments).jobs, isReportedByCaller: writesJSON)
            func tell(_ file: FileEndpoint, members: String) throws {
                try Report.tell("{\(JSONText.members(naming: file)), \(members)}\n")
            }
            // Also of a message whose shape is not sound.
            var shown: Set<Int> = []
            func inspected(_ job: FileJob, _ index: Int) throws {
                let found = try findings(job.input, accepted)
                if writesJSON {
                    try tell(job.input, members: found.json)
                    shown.insert(index)
                } else {
                    try Report.tell((index == 0 ? "" : "\n") + found.text(job.input))
                }
                if let error = found.shapeError {
                    throw CommandError(.malformed, "\(job.input): \(error)")
                }
            }
            guard writesJSON else { return try plan.run(inspected) }
            try plan.run(inspected) { job, index, error in
                if shown.contains(index) { return }
                try tell(job.input, members: "\"error\": \(JSONText.quoted(error.message))")
            }
        })

    /// What a message shows.
    private struct Findings {
        let version: UInt8
        /// Nil if the message does not say.
        let usesPassword: Bool?
        var salts: MessageHeader.Salts?
        var iv: [UInt8]?
        let messageByteCount: Int
        let plaintextByteCount: ClosedRange<Int>?
        let isBase64: Bool
        /// What is wrong with its length; nil if its shape is sound.
        var shapeError: CryptorError?

        func text(_ file: FileEndpoint) -> String {
            var rows = [
                ("format", "version \(version)\(isBase64 ? ", as base64 text" : "")"),
                (
                    "encrypted with",
                    usesPassword.map { $0 ? "a password" : "keys" }
                        ?? "a password or keys: the message does not say"
                ),
            ]
            if let salts {
                rows.append(("encryption salt", hexadecimal(salts.encryption)))
                rows.append(("HMAC salt", hexadecimal(salts.hmac)))
            }
            if let iv { rows.append(("IV", hexadecimal(iv))) }
            rows.append(("message", messageByteCount.counted("byte")))
            if let plaintextByteCount { rows.append(("plaintext", byteCounts(plaintextByteCount))) }
            rows.append(("structure", shapeError == nil ? "complete" : "damaged"))
            return "\(file)\n\(Layout.table(rows))\n"
        }

        /// The members of an object of JSON.
        var json: String {
            var members = ["\"version\": \(version)"]
            if let usesPassword {
                members.append("\"credential\": \"\(usesPassword ? "password" : "keys")\"")
            }
            if let salts {
                members.append("\"encryptionSalt\": \"\(hexadecimal(salts.encryption))\"")
                members.append("\"hmacSalt\": \"\(hexadecimal(salts.hmac))\"")
            }
            if let iv { members.append("\"iv\": \"\(hexadecimal(iv))\"") }
            members.append("\"messageByteCount\": \(messageByteCount)")
            if let plaintextByteCount {
                members.append("\"minimumPlaintextByteCount\": \(plaintextByteCount.lowerBound)")
                members.append("\"maximumPlaintextByteCount\": \(plaintextByteCount.upperBound)")
            }
            members.append("\"base64\": \(isBase64)")
            members.append("\"shapeIsSound\": \(shapeError == nil)")
            return members.joined(separator: ", ")
        }
    }

    private static func findings(
        _ file: FileEndpoint, _ accepted: AcceptedVersions
    ) throws -> Findings {
        let options = accepted.applied(to: FileOptions(base64: true))
        let found = try Cryptor.inspectAnyVersion(file, options, progress: Interruption.check)
        switch found {
        case .message(let inspection):
            let header = inspection.header
            return Findings(
                version: header.version.rawValue, usesPassword: header.usesPassword,
                salts: header.salts, iv: header.iv, messageByteCount: inspection.messageByteCount,
                plaintextByteCount: inspection.plaintextByteCount, isBase64: inspection.isBase64,
                shapeError: inspection.shapeError)
        case .version0(_, nil, _):
            throw CommandError(
                .malformed,
                """
                \(file): It begins with a zero byte, but is not a version 0 message: its length, \
                its end or its second byte does not fit.
                """,
                hint: "'rncryptor diagnose' may find the cause.")
        case .version0(let byteCount, let plaintext?, let isBase64):
            // One length can only be that of a message under keys.
            return Findings(
                version: 0, usesPassword: plaintext.count > 1 ? nil : false,
                messageByteCount: byteCount, plaintextByteCount: plaintext, isBase64: isBase64)
        }
    }

    private static func byteCounts(_ range: ClosedRange<Int>) -> String {
        let most = range.upperBound.counted("byte")
        return range.count == 1 ? most : "\(range.lowerBound) to \(most)"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map(\.hexadecimal).joined()
    }
}
