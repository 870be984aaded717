import CryptorFiles
import CryptorSystem

/// How other kinds of files start, for people who gave one by mistake.
struct ForeignStart {
    /// The most bytes of a start.
    static let byteCount = 64

    private let bytes: [UInt8]
    /// What the file is, and what to do with it.
    let sentence: String
    /// Whether so many bytes are there that other data hardly starts with them.
    var isCertain: Bool { bytes.count > 2 }

    /// What starts with these bytes; nil if it is nothing that is known.
    static func of(_ input: [UInt8]) -> ForeignStart? { known.first { input.starts(with: $0.bytes) } }

    /// A start comes before any shorter one that it begins with.
    private static let known: [ForeignStart] =
        [
            ForeignStart(
                "RNC\u{4}", "a message of version 4",
                advice: "That is a draft, which is not supported: write it again as version 3."),
            encrypted("age-encryption.org/", "an age file"),
            encrypted("-----BEGIN AGE ENCRYPTED FILE-----", "an age file"),
            encrypted("-----BEGIN PGP ", "OpenPGP text"),
            encrypted("Salted__", "a file of 'openssl enc'"),
            encrypted("U2FsdGVkX1", "base64 text of 'openssl enc'"),
            other("-----BEGIN ", "PEM text, such as a key or a certificate"),
            other("%PDF-", "a PDF document"),
            other("PK\u{3}\u{4}", "a zip archive, or a document that is one"),
            other("BZh", "a bzip2 file"),
        ]
        + [
            ([0x1F, 0x8B, 8], "a gzip file"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "an xz file"),
            ([0x28, 0xB5, 0x2F, 0xFD], "a Zstandard file"),
        ].map { ForeignStart($0, $1, advice: meant) }
        // A message begins with a packet that is for a key or a password (RFC 9580, section 4.2). The longer starts are
        // usual ones: for a key of Curve25519, or of RSA with 2048, 3072 or 4096 bits, and for a password.
        + [
            [0x84, 0x5E, 3], [0x85, 1, 0x0C, 3], [0x85, 1, 0x8C, 3], [0x85, 2, 0x0C, 3], [0xC1, 0xC0, 0x4C, 3],
            [0x8C, 0x0D, 4], [0xC3, 0x0D, 4], [0x84], [0x85], [0x8C, 0x0D], [0xC1], [0xC3],
        ].map { ForeignStart($0, "an OpenPGP message", advice: decryptor) }

    private static let decryptor = "Decrypt it with a program for those."
    private static let meant = "Check which file was meant."

    private static func encrypted(_ text: String, _ name: String) -> ForeignStart {
        ForeignStart(text.utf8, name, advice: decryptor)
    }

    private static func other(_ text: String, _ name: String) -> ForeignStart {
        ForeignStart(text.utf8, name, advice: meant)
    }

    private init(_ text: String, _ name: String, advice: String) { self.init(text.utf8, name, advice: advice) }

    /// - Parameter name: what the input is, with an article, such as "a gzip file".
    private init(_ bytes: some Sequence<UInt8>, _ name: String, advice: String) {
        self.bytes = Array(bytes)
        sentence = "It starts like \(name), and unlike any message of this format. \(advice)"
    }
}

extension CommandError {
    /// The error with a hint, if the input starts like a file of another kind. A pipe cannot be read again.
    func hinting(at input: FileEndpoint) -> CommandError {
        guard isUnknownStart, input.descriptor == nil, input.currentStatus?.kind == .regular,
            let start = try? input.firstBytes(ForeignStart.byteCount, progress: Interruption.check),
            let foreign = ForeignStart.of(start)
        else { return self }
        return CommandError(status, message, hint: foreign.sentence)
    }
}
