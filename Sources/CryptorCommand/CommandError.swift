import CryptorFiles

/// Why the command stops, for a person and for the shell.
struct CommandError: Error {
    let status: ExitStatus
    /// Empty if all has been said.
    let message: String
    let hint: String?
    /// Whether nobody needs to be told: whoever read standard output has had enough, as 'head' has.
    var isSilent = false

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    /// Takes over an error of the library, and adds a hint if an option of this command helps.
    init(_ error: CryptorError) {
        let hint: String? =
            switch error.code {
            case .destinationExists: Self.overwriting
            case .messageTooLong where error.fileOperation == nil:
                "--spool-limit SIZE sets another limit."
            case .messageTooLong:
                "Without --accept v0, messages of other versions are read at any length."
            case .looksBase64Encoded:
                "If each line is a message of its own, use 'rncryptor decrypt --lines'."
            case .credentialMismatch: "--key-file reads keys, --password-file a password."
            case .versionNotAccepted where error.versionToAccept != nil:
                error.versionToAccept.map { version in
                    "--accept v\(version) reads it; "
                        + "'rncryptor rekey --accept v\(version)' converts it to version 3."
                }
            // A file that was changed while it was read tells nothing.
            case .authenticationFailed where error.fileOperation == nil, .invalidMessageLength,
                .unsupportedVersion, .versionNotAccepted:
                "'rncryptor diagnose' tells more."
            default: nil
            }
        guard error.code == .cancelled else {
            self.init(ExitStatus(error), error.whatHappened, hint: hint)
            return
        }
        self = .interrupted
        if let name = error.leftBehind {
            let sentence =
                "interrupted; the unfinished \(name.shown) could not be removed: remove it"
            self.init(.interrupted, sentence)
        }
    }

    /// Takes over an error of the library's functions that write an output.
    /// - Parameter isStream: whether the output was a stream before the work, since its name may be
    ///   gone by now.
    init(_ error: CryptorError, writingTo output: FileEndpoint, isStream: Bool) {
        self =
            error.code == .cancelled && isStream
            ? .interrupted(writingTo: output) : CommandError(error)
        isSilent = error.systemErrorNumber == EPIPE && output.descriptor == STDOUT_FILENO
    }

    static let overwriting = "--force overwrites it."

    static let interrupted = CommandError(.interrupted, "interrupted; nothing was left behind")

    /// For a stream, whose readers see at once what is written.
    static func interrupted(writingTo output: FileEndpoint) -> CommandError {
        CommandError(.interrupted, "interrupted; a part of the output may have gone to \(output)")
    }

    static func usage(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(.usage, message, hint: hint)
    }
}

/// Turns an error of the library into one of the command.
func commandError<Result: ~Copyable>(
    _ work: @autoclosure () throws(CryptorError) -> Result
) throws(CommandError) -> Result {
    do throws(CryptorError) { return try work() } catch { throw CommandError(error) }
}
