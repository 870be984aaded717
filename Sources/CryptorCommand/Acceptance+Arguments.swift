import CryptorFormat

/// The messages that `decrypt`, `verify` and `rekey` read.
extension Acceptance {
    static let options = [
        Option(
            "accept", value: "VERSIONS",
            "Read these versions as well as 3 and 2: v1, v0 or v1,v0. Anybody can alter their headers unnoticed."),
        Option(
            shortenedPasswordsOption,
            "If the password is not ASCII, also try the beginnings of it that some writers of version 2 and older used. "
                + "Whoever guesses its first few bytes, one byte for an emoji, can forge a message that passes."),
    ]

    private static let shortenedPasswordsOption = "accept-shortened-passwords"

    /// Accepts what the options ask for.
    init(_ arguments: Arguments) throws(CommandError) {
        self = .default
        shortenedPasswords = arguments.contains(Self.shortenedPasswordsOption)
        spoolByteLimit = try FileArguments.spoolByteLimit(arguments)
        for word in try arguments["accept"]?.text.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            let digits = word.hasPrefix("v") ? word.dropFirst() : word
            guard let version = UInt8(digits).flatMap(FormatVersion.init(rawValue:)) else {
                throw .usage("--accept takes versions such as v1,v0, not \(Word(word.utf8).quoted)")
            }
            versions.insert(version)
        }
    }
}
