import CryptorPrimitives

/// How another kind of file starts, so that the error can name the kind when such a file was given by mistake.
struct ForeignStart {
    private let bytes: [UInt8]
    private let error: CryptorError

    /// The error for input that starts with no version of the format; nil if more bytes are needed to tell.
    /// - Parameter mustDecide: whether `prefix` is all of the input.
    static func error(for prefix: RawSpan, mustDecide: Bool) -> CryptorError? {
        for start in known {
            let shared = min(start.bytes.count, prefix.byteCount)
            guard (0..<shared).allSatisfy({ prefix.byte(at: $0) == start.bytes[$0] }) else { continue }
            if shared == start.bytes.count { return start.error }
            if !mustDecide { return nil }
        }
        return .unsupportedVersion(prefix.byte(at: 0))
    }

    /// A start comes before any shorter one that it begins with. None is longer than the header of a password message.
    private static let known: [ForeignStart] =
        [
            ForeignStart(
                bytes: [UInt8]("RNC".utf8) + [4],
                error: CryptorError(
                    .unsupportedVersion,
                    "The message starts like version 4, a draft that is not supported. Write it again "
                        + "as version 3.")),
            encrypted("age-encryption.org/", "an age file"),
            encrypted("-----BEGIN AGE ENCRYPTED FILE-----", "an age file"),
            encrypted("-----BEGIN PGP ", "OpenPGP text"),
            encrypted("Salted__", "a file of 'openssl enc'"),
            encrypted("U2FsdGVkX1", "base64 text of 'openssl enc'"),
            other("-----BEGIN ", "PEM text, such as a key or a certificate"),
            other("%PDF-", "a PDF document"),
            other("PK\u{3}\u{4}", "a zip archive, or a document that is one"),
            other([0x1F, 0x8B], "a gzip file"),
            other([0xFD] + "7zXZ".utf8 + [0], "an xz file"),
            other([0x28, 0xB5, 0x2F, 0xFD], "a Zstandard file"),
            other("BZh", "a bzip2 file"),
        ]
        // A message begins with a packet that is for a key or a password (RFC 9580, section 4.2).
        + [[0x84], [0x85], [0x8C, 0x0D], [0xC1], [0xC3]].map { encrypted($0, "an OpenPGP message") }

    private static func encrypted(_ bytes: some Sequence<UInt8>, _ name: String) -> ForeignStart {
        ForeignStart(bytes, name, advice: "Decrypt it with a program for those.")
    }

    private static func encrypted(_ text: String, _ name: String) -> ForeignStart { encrypted(text.utf8, name) }

    private static func other(_ bytes: some Sequence<UInt8>, _ name: String) -> ForeignStart {
        ForeignStart(bytes, name, advice: "Check the name of the file.")
    }

    private static func other(_ text: String, _ name: String) -> ForeignStart { other(text.utf8, name) }

    /// - Parameter name: what the input is, with an article, such as "a gzip file".
    private init(_ bytes: some Sequence<UInt8>, _ name: String, advice: String) {
        self.bytes = Array(bytes)
        error = CryptorError(
            .unsupportedVersion, "The input starts like \(name), not like a message of this format. \(advice)")
    }

    private init(bytes: [UInt8], error: CryptorError) {
        self.bytes = bytes
        self.error = error
    }
}
