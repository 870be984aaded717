import CryptorFiles

/// The exit status of the command, with the numbers of sysexits(3).
enum ExitStatus: Int32 {
    case success = 0
    case opens = 1
    case usage = 64
    case malformed = 65
    case noInput = 66
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case authenticationFailed = 77
    /// The command ends by the signal itself; this is what a shell makes of SIGINT.
    case interrupted = 130

    init(_ error: CryptorError) {
        switch error.code {
        case .invalidCredential, .invalidKeyring: self = .usage
        case .authenticationFailed: self = .authenticationFailed
        case .cryptoLibraryFailure: self = .software
        case .destinationExists, .sameFile: self = .cannotCreate
        case .inputOutput, .invalidPath, .messageTooLong:
            switch error.fileOperation {
            case .openingInput: self = .noInput
            case .creatingOutput: self = .cannotCreate
            case .readingInput, .writingOutput, .removing, nil: self = .inputOutput
            }
        default: self = .malformed
        }
    }

    /// The explanations in help.
    static let explanations = [
        (success, "full success"),
        (opens, "diagnose: nothing is wrong"),
        (usage, "wrong usage, empty password"),
        (
            malformed,
            "malformed message or key file, wrong kind of credential; diagnose: no cause found"
        ),
        (noInput, "an input cannot be opened"),
        (software, "OpenSSL failed"),
        (cannotCreate, "an output exists or cannot be created"),
        (inputOutput, "reading or writing failed, or --remove-source kept an INPUT"),
        (authenticationFailed, "wrong password or keys, or an altered message"),
        (
            interrupted,
            "ended by SIGINT (130 in a shell) or another signal (128 plus its number)"
        ),
    ].map { (status: ExitStatus, meaning: String) in ("\(status.rawValue)", meaning) }
}
