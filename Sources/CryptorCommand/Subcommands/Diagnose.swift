import CryptorDiagnosis
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
            may be a message. '-' is standard input.

            A FILE may have any length. In more than 16 MiB, at most two changes are searched for,
            and only those that can be undone piece by piece. A pipe may have up to 256 MiB, which
            are held in memory.

            The exit status is 66 if a FILE cannot be read, else 65 if a FILE has no known cause,
            else 0 if a cause is named, else 1: nothing is wrong.

            With --lines, each line of FILE, or of standard input, is a message of its own, as for
            'rncryptor verify --lines'. The lines that do not open are listed with their causes, and
            what to do about each cause follows once, then how many lines opened. Mistakes that
            explained a line are tried on all others; the search for more ends once it takes too
            long, and says so. The exit status is as for that many FILEs.
            """,
        examples: [
            "rncryptor diagnose notes.rnc",
            "rncryptor diagnose --json --key-file key archive/*.rnc",
            "rncryptor diagnose --lines --key-file key messages",
        ],
        ownOptions: [
            InputFiles.recursive,
            InputFiles.suffix,
            Lines.messagesOption,
            Option(
                "json", goesWithLines: true,
                """
                Write a line of JSON for each FILE. It has file, opens, causes, advice and \
                possible; or file, opens and error. The causes are in the order in which to undo \
                them. With --lines, write one for each line, with its number, line, in place of \
                file; opens is null for an empty cell. A message may be a JSON string.
                """),
            Option(
                "iterations-up-to", value: .number("N"), goesWithLines: true,
                """
                Also try common numbers of iterations above 100000, up to N. A million takes about \
                0.1 s.
                """),
        ] + SecretSource.options(),
        run: { arguments in
            let iterationLimit = max(100_000, try arguments.number("iterations-up-to") ?? 0)
            if arguments.contains("lines") {
                try Lines.checkOptions(arguments)
                return try LineDiagnosis.run(arguments, iterationLimit: iterationLimit)
            }
            let writesJSON = arguments.contains("json")
            let source = try SecretSource(
                arguments, isNew: false, readsHalfKeyFiles: true)
            let plan = try FilePlan(
                try InputFiles(arguments).jobs, secrets: source.files, isReportedByCaller: true)
            var diagnoser = Diagnoser(
                iterationsUpTo: iterationLimit,
                credentials: { try source.credentials() },
                shouldStop: { Interruption.signal != 0 })
            var tally = DiagnosisTally()
            for job in plan.jobs {
                if Interruption.signal != 0 { throw CommandError.interrupted }
                let name = JSONText.members(naming: job.input)
                let diagnosis: Diagnosis
                switch try result(for: job, &diagnoser) {
                case .success(let found):
                    diagnosis = found
                case .failure(let error):
                    tally.hasUnreadable = true
                    Report.complain(error)
                    guard writesJSON else { continue }
                    let sentence = JSONText.quoted(error.message)
                    try Report.tell("{\(name), \"opens\": false, \"error\": \(sentence)}\n")
                    continue
                }
                tally.count(diagnosis)
                if writesJSON {
                    try Report.tell("{\(name), \(diagnosis.members())}\n")
                } else {
                    try Report.tell(sentences: "\(job.input): \(diagnosis.text)\n")
                }
            }
            // What there is to say has been written.
            if tally.status != .success { throw CommandError(tally.status, "") }
        })

    /// The diagnosis of a file, or why it cannot be read.
    /// - Throws: what ends the run. An error of the secrets is thrown as it is.
    private static func result(
        for job: FileJob, _ diagnoser: inout Diagnoser
    ) throws -> Result<Diagnosis, CommandError> {
        if let failure = job.failure { return .failure(failure) }
        do throws(CryptorError) { return .success(try diagnoser.diagnosis(of: job.input)) } catch {
            switch error.code {
            case .callbackFailed: throw error.underlyingError ?? error
            case .cancelled, .cryptoLibraryFailure: throw error
            default: return .failure(CommandError(error))
            }
        }
    }
}
