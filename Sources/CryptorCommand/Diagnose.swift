import CryptorFiles
import CryptorPrimitives

extension Subcommand {
    static let diagnose = Subcommand(
        name: "diagnose", summary: "Find out why a message does not open.", operands: "FILE...",
        discussion: """
            Tries what people do wrong: a newline in the password, keys in the wrong order, base64 text, a copy in text
            mode. It names the first cause that makes the HMAC match, or that the bytes show for certain, and what to
            do. What is only possible is listed. It shows no secret and no plaintext.

            Never answer a remote peer with it, since it tells what is true of the password. Without an option for it,
            the password is asked for on the terminal. '-' is standard input. A FILE has at most 256 MiB.

            The exit status is 0 if a cause is named, 1 if the message opens as it is, and 65 if no cause is found; for
            several files, the greatest of these.
            """,
        examples: [
            "rncryptor diagnose notes.rnc",
            "rncryptor diagnose --json --key-file key archive/*.rnc",
        ],
        ownOptions: [
            InputFiles.recursive, InputFiles.suffix,
            Option("json", "Write a line of JSON for each FILE: file, cause, advice, possible."),
            Option(
                "iterations-up-to", value: "N",
                "Also try usual numbers of iterations over 100000, up to N, at about 0.1 s a million."
            ),
        ] + SecretSource.options(),
        run: { arguments throws(CommandError) in
            let limit = max(100_000, try arguments.number("iterations-up-to") ?? 0)
            let source = try SecretSource(arguments, isNew: false)
            let plan = try FilePlan(try InputFiles(arguments).jobs, secrets: source.files)
            let examination = Examination(try source.credentials(), iterationsUpTo: limit)
            var status = ExitStatus.success
            try plan.run { (job, _) throws(CommandError) in
                let bytes = try commandError(
                    try job.input.firstBytes(byteLimit + 1, progress: Interruption.check))
                guard bytes.count <= byteLimit else {
                    throw CommandError(.inputOutput, "\(job.input): It has more than 256 MiB.")
                }
                let diagnosis: Diagnosis
                do throws(CryptorError) {
                    diagnosis = try examination.diagnosis(of: consume bytes)
                } catch { throw CommandError(error) }
                try Report.tell(
                    arguments.contains("json")
                        ? diagnosis.json(job.input) : diagnosis.text(job.input))
                if diagnosis.status.rawValue > status.rawValue { status = diagnosis.status }
            }
            // What there is to say has been written.
            if status != .success { throw CommandError(status, "") }
        })

    private static let byteLimit = 256 * 1024 * 1024
}

/// Why a message does not open.
enum Cause: String, CaseIterable {
    case base64
    case base64URL = "base64-url"
    case base64Spaces = "base64-spaces"
    case hex
    case jsonString = "json-string"
    case truncated
    case trailingNewline = "trailing-newline"
    case textMode = "text-mode"
    case utf8Damaged = "utf8-damaged"
    case latin1AsUTF8 = "latin1-as-utf8"
    case onlyZeros = "only-zeros"
    case foreign
    case versionNotAccepted = "version-not-accepted"
    case passwordNewline = "password-newline"
    case passwordSpace = "password-space"
    case passwordByteOrderMark = "password-byte-order-mark"
    case passwordNFC = "password-nfc"
    case passwordNFD = "password-nfd"
    case passwordLatin1 = "password-latin1"
    case passwordUTF16 = "password-utf16"
    case passwordQuoted = "password-quoted"
    case passwordCase = "password-case"
    case passwordShortened = "password-shortened"
    case passwordEmpty = "password-empty"
    case iterations
    case needsPassword = "needs-password"
    case needsKeys = "needs-keys"
    case keysSwapped = "keys-swapped"
    case keysAsPassword = "keys-as-password"
    case aes128
}

struct Diagnosis {
    /// Nil if the message opens as it is, or no cause is certain.
    let cause: Cause?
    let advice: String
    var possible: [Cause]
    let opens: Bool

    init(_ cause: Cause?, _ advice: String, possible: [Cause] = [], opens: Bool = false) {
        self.cause = cause
        self.advice = advice
        self.possible = possible
        self.opens = opens
    }

    var status: ExitStatus { opens ? .opens : cause == nil ? .malformed : .success }

    func text(_ file: FileEndpoint) -> String {
        let list =
            possible.isEmpty
            ? "" : " Possible: \(possible.map(\.rawValue).joined(separator: ", "))."
        return "\(file): \(cause.map { "\($0.rawValue). " } ?? "")\(advice)\(list)\n"
    }

    func json(_ file: FileEndpoint) -> String {
        func quoted(_ text: String) -> String {
            "\""
                + text.unicodeScalars.map {
                    "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)"
                }.joined() + "\""
        }
        let list = possible.map { quoted($0.rawValue) }.joined(separator: ", ")
        return
            "{\"file\": \(quoted(file.description)), \"cause\": \(cause.map { quoted($0.rawValue) } ?? "null"), "
            + "\"advice\": \(quoted(advice)), \"possible\": [\(list)]}\n"
    }
}
