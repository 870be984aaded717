import CryptorFiles

/// Why the command stops, for a person and for the shell.
struct CommandError: Error {
    let status: ExitStatus
    /// Empty if all has been said.
    let message: String
    var hint: String?
    /// Whether nobody needs to be told: whoever read standard output has had enough, as 'head' has.
    var isSilent = false
    /// Whether a file starts like no message of the format.
    private(set) var mayBeForeignFile = false
    /// Whether an output could not be published because its directory was not there, perhaps.
    private(set) var meansMissingDirectory = false

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    static func usage(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(.usage, message, hint: hint)
    }

    static let interrupted = CommandError(.interrupted, "interrupted; nothing was left behind")

    /// For a stream, whose readers see at once what is written.
    static func interrupted(writingTo output: FileEndpoint) -> CommandError {
        CommandError(
            .interrupted,
            """
            interrupted; part of the output may have been written to \(output)
            """)
    }

    // MARK: Errors of the library

    /// The one place that tells errors of the library from those of the command. All others let
    /// both pass, or add where they happened.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as CryptorError: self.init(error)
        default: self.init(.software, "\(error)")
        }
    }

    /// Takes over an error of the library, and adds a hint if an option of this command helps.
    init(_ error: CryptorError) {
        if error.code != .cancelled {
            self.init(ExitStatus(error), error.whatHappened, hint: Self.hint(for: error))
            mayBeForeignFile = error.code == .unsupportedVersion
        } else if let name = error.leftBehind {
            self.init(
                .interrupted,
                "interrupted; the unfinished \(name.shown) could not be removed: remove it")
        } else {
            self = .interrupted
        }
    }

    /// Takes over an error of a function for messages, and names the file that the message is from.
    init(_ error: CryptorError, in file: FileEndpoint) {
        self.init(
            ExitStatus(error), "\(file): \(error.whatHappened)", hint: Self.hint(for: error))
    }

    /// Takes over an error of the library's functions that write an output.
    /// - Parameter isStream: whether the output was a stream before the work, since its name may be
    ///   gone by now.
    init(_ error: CryptorError, writingTo output: FileEndpoint, isStream: Bool) {
        if error.code == .cancelled, isStream {
            self = .interrupted(writingTo: output)
        } else {
            self.init(error)
        }
        isSilent = error.systemErrorNumber == EPIPE && output.descriptor == STDOUT_FILENO
        meansMissingDirectory = error.systemErrorNumber == ENOENT && !error.isPublished
    }

    /// What helps against an error of the library; nil if no option does.
    private static func hint(for error: CryptorError) -> String? {
        let isOfFile = error.fileOperation != nil
        switch error.code {
        case .destinationExists:
            return "Use --force to overwrite it."
        case .messageTooLong where !isOfFile:
            return "--spool-limit SIZE sets another limit."
        case .looksBase64Encoded:
            return """
                If each line is a message of its own, 'decrypt --lines', 'rekey --lines' and \
                'verify --lines' read them.
                """
        case .credentialMismatch:
            return "Use --key-file for keys, --password-file for a password."
        case .versionNotAccepted:
            return error.versionToAccept.map(hint(accepting:)) ?? moreFromDiagnose
        // A file that was changed while it was read tells nothing.
        case .authenticationFailed where isOfFile:
            return nil
        case .authenticationFailed, .invalidMessageLength, .unsupportedVersion:
            return moreFromDiagnose
        default:
            return nil
        }
    }

    private static let moreFromDiagnose = "'rncryptor diagnose' may find the cause."

    private static func hint(accepting version: UInt8) -> String {
        """
        --accept v\(version) reads it; 'rncryptor rekey --accept v\(version)' converts it to \
        version 3.
        """
    }
}
