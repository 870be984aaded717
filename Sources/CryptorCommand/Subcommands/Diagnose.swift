import CryptorFiles

extension Subcommand {
    static let diagnose = Subcommand(
        name: "diagnose",
        summary: "Find out why a message does not open.",
        operands: "FILE...",
        discussion: """
            Looks for mistakes of people and programs: text instead of bytes, a copy in text mode,
            a newline in the password, keys in the wrong order. It undoes up to four changes to the
            message, one after the other, and tries each result with one mistake in the password or
            keys. It names a cause only if undoing it makes the HMAC and the padding match, or if
            the bytes show it for certain. Other possibilities are listed separately. It shows no
            secret and no plaintext.

            Do not show its output to others: it reveals facts about the password. Without an
            option for a password or keys, you are asked for the password on the terminal if a FILE
            may be a message. '-' is standard input. A FILE has at most 256 MiB.

            The exit status is 66 if a FILE cannot be read, else 65 if a FILE has no known cause,
            else 0 if a cause is named, else 1: all of them open as they are.
            """,
        examples: [
            "rncryptor diagnose notes.rnc",
            "rncryptor diagnose --json --key-file key archive/*.rnc",
        ],
        ownOptions: [
            InputFiles.recursive,
            InputFiles.suffix,
            Option(
                "json",
                """
                Write a line of JSON for each FILE. It has file, opens, causes, advice and \
                possible; or file, opens and error. The causes are in the order in which to undo \
                them.
                """),
            Option(
                "iterations-up-to", value: .number("N"),
                """
                Also try common numbers of iterations above 100000, up to N. A million takes about \
                0.1 s.
                """),
        ] + SecretSource.options(),
        run: { arguments in
            let iterationLimit = max(100_000, try arguments.number("iterations-up-to") ?? 0)
            let writesJSON = arguments.contains("json")
            let source = try SecretSource(arguments, isNew: false)
            let plan = try FilePlan(
                try InputFiles(arguments).jobs, secrets: source.files, isReportedByCaller: true)
            var examination = Examination(
                { () throws(CommandError) in
                    do { return try source.credentials() } catch { throw CommandError(error) }
                },
                iterationsUpTo: iterationLimit)
            var tally = Tally()
            for job in plan.jobs {
                if Interruption.signal != 0 { throw CommandError.interrupted }
                let name = JSONText.members(naming: job.input)
                let bytes: [UInt8]
                do { bytes = try contents(of: job) } catch {
                    let error = CommandError(error)
                    if [.interrupted, .software].contains(error.status) { throw error }
                    tally.hasUnreadable = true
                    Report.complain(error)
                    guard writesJSON else { continue }
                    let sentence = JSONText.quoted(error.message)
                    try Report.tell("{\(name), \"opens\": false, \"error\": \(sentence)}\n")
                    continue
                }
                let diagnosis = try examination.diagnosis(of: bytes)
                tally.count(diagnosis)
                if writesJSON {
                    try Report.tell("{\(name), \(diagnosis.json)}\n")
                } else {
                    try Report.tell(sentences: "\(job.input): \(diagnosis.text)\n")
                }
            }
            // What there is to say has been written.
            if tally.status != .success { throw CommandError(tally.status, "") }
        })

    /// What was found in all files.
    private struct Tally {
        var hasUnreadable = false
        private var hasUnexplained = false
        private var hasCauses = false

        mutating func count(_ diagnosis: Diagnosis) {
            if diagnosis.opens { return }
            if diagnosis.causes.isEmpty { hasUnexplained = true } else { hasCauses = true }
        }

        var status: ExitStatus {
            if hasUnreadable { return .noInput }
            if hasUnexplained { return .malformed }
            return hasCauses ? .success : .opens
        }
    }

    private static let byteLimit = 256 * 1024 * 1024

    private static func contents(of job: FileJob) throws -> [UInt8] {
        if let failure = job.failure { throw failure }
        let bytes = try job.input.firstBytes(byteLimit + 1, progress: Interruption.check)
        guard bytes.count <= byteLimit else {
            throw CommandError(
                .inputOutput, "\(job.input): It is larger than 256 MiB, the limit of diagnose.")
        }
        return bytes
    }
}
