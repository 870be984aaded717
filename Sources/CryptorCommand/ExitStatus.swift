import CryptorFormat

/// The exit status of the command, with the numbers of sysexits(3).
enum ExitStatus: Int32 {
    case success = 0
    /// Wrong options, or an empty password.
    case usage = 64
    /// The message or the key file is malformed.
    case malformed = 65
    /// The input cannot be opened.
    case noInput = 66
    /// OpenSSL failed.
    case software = 70
    /// The output cannot be created, or exists.
    case cannotCreate = 73
    /// Reading or writing failed on the way.
    case inputOutput = 74
    /// Wrong password or keys, or an altered message.
    case authenticationFailed = 77
    /// Interrupted by Ctrl-C.
    case interrupted = 130

    init(_ error: CryptorError) {
        switch error.code {
        case .emptyPassword: self = .usage
        case .authenticationFailed: self = .authenticationFailed
        case .cryptoLibraryFailure, .randomnessUnavailable, .outputTooSmall: self = .software
        case .destinationExists, .sameFile, .severalNames: self = .cannotCreate
        case .sourceKept, .messageTooLong: self = .inputOutput
        case .invalidPath: self = .usage
        case .cancelled: self = .interrupted
        case .inputOutput, .notInFolder:
            switch error.fileOperation {
            case .openingInput: self = .noInput
            case .creatingOutput: self = .cannotCreate
            case .readingInput, .writingOutput, nil: self = .inputOutput
            }
        default: self = .malformed
        }
    }
}

extension ExitStatus {
    /// The explanations in help and in the man page.
    static let explanations = [
        (success, "full success"),
        (usage, "wrong usage, empty password"),
        (malformed, "malformed message or key file, wrong kind of credential"),
        (noInput, "the input cannot be opened"),
        (software, "OpenSSL failed"),
        (cannotCreate, "the output exists or cannot be created"),
        (inputOutput, "reading or writing failed, or an INPUT that was to be removed was kept"),
        (authenticationFailed, "wrong password or keys, or an altered message"),
        (interrupted, "interrupted (129, 131 and 143 after SIGHUP, SIGQUIT, SIGTERM)"),
    ].map { (String($0.0.rawValue), $0.1) }
}

/// Why the command stops, for a person and for the shell.
struct CommandError: Error {
    let status: ExitStatus
    let message: String
    /// More lines to print after the message, such as one name each.
    let details: [String]
    private(set) var hint: String?
    /// Whether the output is complete in spite of the error.
    private(set) var isPublished = false
    /// Whether another secret may be the right one. It is not if the file changed after it was found authentic.
    private(set) var isOfSecret = false
    /// A phrase that says where a part of the output may be.
    private(set) var partialOutput: String?

    init(_ status: ExitStatus, _ message: String, details: [String] = [], hint: String? = nil) {
        self.status = status
        self.message = message
        self.details = details
        self.hint = hint
    }

    /// Takes over an error of the library, and adds a hint if an option of this command helps.
    init(_ error: CryptorError) {
        let message = error.whatHappened
        switch error.code {
        case .cancelled: self = .interrupted
        case .destinationExists: self.init(.cannotCreate, message, hint: "--force overwrites it.")
        case .messageTooLong:
            self.init(.inputOutput, message, hint: "--spool-limit SIZE sets another limit.")
        case .versionNotAccepted:
            self.init(
                .malformed, message,
                hint: "--accept v1,v0 reads it; 'rncryptor rekey --accept v1,v0' makes a version 3 of it.")
        case .authenticationFailed where error.mayNeedShortenedPassword:
            self.init(
                .authenticationFailed, message,
                hint: "--accept-shortened-passwords reads a message of such a writer; 'rncryptor rekey "
                    + "--accept-shortened-passwords' makes a version 3 of it.")
        case .inputOutput
        where error.systemErrorNumber == EISDIR && error.fileOperation == .openingInput
            && error.path != FileEndpoint.standardInput.description:
            self.init(.noInput, message, hint: "--recursive works on the files in a folder.")
        default: self.init(ExitStatus(error), message)
        }
        isPublished = error.isPublished
        isOfSecret = error.code == .authenticationFailed && error.fileOperation == nil
    }

    /// Adds a hint at the likely reason for a wrong credential, if there is none yet.
    func doubting(_ doubt: String?) -> CommandError {
        guard isOfSecret, hint == nil else { return self }
        var error = self
        error.hint = doubt
        return error
    }

    static let interrupted = CommandError(.interrupted, "interrupted; nothing was left behind")

    /// For a stream, whose readers see at once what is written.
    static func interrupted(writingTo output: FileEndpoint) -> CommandError {
        let partialOutput = "a part of the output may have gone to \(output)"
        var error = CommandError(.interrupted, "interrupted; \(partialOutput)")
        error.partialOutput = partialOutput
        return error
    }

    /// For a file that cannot be read, unless a signal came.
    static func unreadable(_ input: FileEndpoint, _ number: Int32, status: ExitStatus) -> CommandError {
        Interruption.signal == nil
            ? CommandError(status, "\(input): It cannot be read: \(systemMessage(number)).") : .interrupted
    }

    static func unwritable(_ output: FileEndpoint, _ number: Int32) -> CommandError {
        CommandError(.inputOutput, "\(output): It cannot be written: \(systemMessage(number)).")
    }

    static func usage(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(.usage, message, hint: hint)
    }
}
