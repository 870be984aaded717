import CryptorFiles
import CryptorSystem

/// Asks for a password on the terminal.
struct PasswordPrompt {
    /// "new-" for the second secret of `rekey`.
    let prefix: String
    /// Whether the password is a new one, so that it is asked for twice.
    let isNew: Bool
    /// Whether a new one is made if nothing is typed.
    let mayBeMade: Bool

    /// Shorter ones get a warning: the format does little against somebody who guesses them.
    private static let sufficientByteCount = 12

    /// A terminal silently drops the rest of a line of this length or more (N_TTY_BUF_SIZE,
    /// termios(3)).
    private static let lineByteCount = 4095

    /// The caller cleanses it.
    func password() throws -> [UInt8] {
        let name = prefix.isEmpty ? "Password" : "New password"
        guard isNew else { return try readLine("\(name): ") }
        let offer = mayBeMade ? " (leave empty to generate one)" : ""
        var password = try readLine("\(name)\(offer): ")
        if password.isEmpty { return mayBeMade ? try madePassword() : [] }
        if password.count < Self.sufficientByteCount {
            Report.complain(
                "warning",
                """
                The password is short: anyone with the file can guess it. Use a few random words \
                instead.
                """)
        }
        defer { password.cleanse() }
        var again = try readLine("Repeat the password: ")
        guard again == password else {
            again.cleanse()
            throw CommandError.usage("the two passwords differ", hint: "Try again.")
        }
        return again
    }

    private func madePassword() throws -> [UInt8] {
        let made = try Cryptor.generatePassword()
        _ = try readLine(
            "The password is \(made)\n"
                + "Nothing else opens the message. Save it, then press Return: ")
        return Array(made.utf8)
    }

    /// Shows `prompt` on the terminal and reads a line that is not shown.
    private func readLine(_ prompt: String) throws(CommandError) -> [UInt8] {
        var line = [UInt8](repeating: 0, count: Self.lineByteCount)
        var count = 0
        let number = unsafe cprocess_read_secret(prompt, &line, line.count, &count)
        switch number {
        case 0:
            line.removeLast(line.count - count)
            return line
        case -1:
            throw noTerminal
        case ENODATA:
            throw CommandError(.usage, "No password was entered.")
        case EMSGSIZE:
            throw CommandError(
                .malformed,
                "the password is too long to type at a terminal: use --password-file")
        default:
            guard Interruption.signal == 0 else { throw .interrupted }
            throw CommandError(.inputOutput, "the terminal: \(SystemError(number: number)).")
        }
    }

    private var noTerminal: CommandError {
        let name = prefix.isEmpty ? "password" : "new password"
        let options = SecretSource.options(prefix).filter { $0.value != nil && $0.isRepeatable }
        let spellings = options.map { "--\($0.name)" }.joined(separator: ", ")
        return .usage(
            "no \(name) was given, and there is no terminal to ask for one",
            hint: "Use one of \(spellings).")
    }
}
