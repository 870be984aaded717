import CryptorFiles

/// Why a plaintext that is authentic cannot be a line of the output.
enum PlaintextFlaw: Error, CaseIterable {
    case newline
    /// With `--json`.
    case notUTF8
    /// On a terminal.
    case harmful

    var sentence: String {
        switch self {
        case .newline:
            """
            The plaintext contains a newline and would become two lines. Decrypt it with --json, \
            with --plaintext base64, or without --lines.
            """
        case .notUTF8:
            "The plaintext is not UTF-8, as JSON requires. Decrypt it with --plaintext base64."
        case .harmful:
            """
            The plaintext is not UTF-8 text, or has control characters. Redirect standard output.
            """
        }
    }

    /// What to do about all of them.
    func hint(count: Int) -> String {
        switch self {
        case .newline:
            "For \(count.counted("plaintext")) with newlines, use --json or --plaintext base64."
        case .notUTF8:
            "For \(count.counted("plaintext")) that JSON cannot hold, use --plaintext base64."
        case .harmful:
            "For \(count.counted("plaintext")) not shown here, redirect standard output."
        }
    }
}
