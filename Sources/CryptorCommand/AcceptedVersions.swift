import CryptorFormat

/// The versions that `decrypt`, `verify` and `rekey` read.
enum AcceptedVersions {
    static let options = [
        Option(
            "accept", value: "VERSIONS",
            "Read these versions as well as 3 and 2: v1, v0 or v1,v0. Anybody can alter their headers unnoticed."),
        Option(
            shortenedPasswords,
            "Of a password that is not ASCII, also try the beginnings that some writers of version 2 and older used. "
                + "Whoever guesses the first few bytes of it, one byte for an emoji, can forge a message that passes."),
    ]

    private static let shortenedPasswords = "accept-shortened-passwords"

    /// What opens old messages: the credential, with `--accept-shortened-passwords` in the shortened readings, too.
    static func credential(_ arguments: Arguments, _ credential: Credential) -> Credential {
        arguments.contains(shortenedPasswords) ? credential.acceptingShortenedPasswords() : credential
    }

    /// What `--accept` asks for.
    static func versions(_ arguments: Arguments) throws(CommandError) -> Set<FormatVersion> {
        var versions: Set<FormatVersion> = [.v3, .v2]
        for word in try arguments["accept"]?.text.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            let digits = word.hasPrefix("v") ? word.dropFirst() : word
            guard let version = UInt8(digits).flatMap(FormatVersion.init(rawValue:)) else {
                throw .usage("--accept takes versions such as v1,v0, not \(Word(word.utf8).quoted)")
            }
            versions.insert(version)
        }
        return versions
    }
}
