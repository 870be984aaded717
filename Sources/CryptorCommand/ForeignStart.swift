/// How other kinds of files start, for people who gave one by mistake.
enum ForeignStart {
    /// What a file is that starts with these bytes, and what to do with it; nil if it is nothing
    /// that is known.
    static func of(_ input: [UInt8]) -> String? {
        guard let start = known.first(where: { input.starts(with: $0.bytes) }) else { return nil }
        return "It starts like \(start.name), and unlike any message of this format. "
            + start.advice
    }

    private static let draft =
        "That is a draft, which is not supported: write it again as version 3."
    private static let decrypt = "Decrypt it with a program for those."
    private static let check = "Check which file was meant."

    private typealias Start = (bytes: [UInt8], name: String, advice: String)

    private static let known = texts + [gzip] + openPGP

    /// A start comes before any shorter one that it begins with.
    private static let texts: [Start] = [
        ("RNC\u{4}", "a message of version 4", draft),
        ("age-encryption.org/", "an age file", decrypt),
        ("-----BEGIN AGE ENCRYPTED FILE-----", "an age file", decrypt),
        ("-----BEGIN PGP ", "OpenPGP text", decrypt),
        ("Salted__", "a file of 'openssl enc'", decrypt),
        ("U2FsdGVkX1", "base64 text of 'openssl enc'", decrypt),
        ("-----BEGIN ", "PEM text, such as a key or a certificate", check),
        ("PK\u{3}\u{4}", "a zip archive, or a document that is one", check),
    ].map { (text: String, name: String, advice: String) in (Array(text.utf8), name, advice) }

    private static let gzip: Start = ([0x1F, 0x8B, 8], "a gzip file", check)

    /// The usual first packets (RFC 9580, section 4.2): for a key of Curve25519, or of RSA with
    /// 2048, 3072 or 4096 bits, and for a password.
    private static let openPGP: [Start] = [
        [0x84, 0x5E, 3],
        [0x85, 1, 0x0C, 3],
        [0x85, 1, 0x8C, 3],
        [0x85, 2, 0x0C, 3],
        [0xC1, 0xC0, 0x4C, 3],
        [0x8C, 0x0D, 4],
        [0xC3, 0x0D, 4],
    ].map { ($0, "an OpenPGP message", decrypt) }
}
