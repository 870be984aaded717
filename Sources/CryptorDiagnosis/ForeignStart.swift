/// How other kinds of files start, for people who gave one by mistake.
package enum ForeignStart {
    /// What a file is that starts with these bytes, and what to do with it; nil if it is nothing
    /// that is known.
    static func of(_ input: [UInt8]) -> String? { found(in: known, input) }

    /// The same of what no message can be in, as it can be in text of other kinds.
    package static func ofMagic(_ input: [UInt8]) -> String? { found(in: texts + binaries, input) }

    /// Whether no message can be in it: a magic number tells, or the label of PEM lines.
    static func isCertain(_ input: [UInt8]) -> Bool {
        ofMagic(input) != nil && (!input.starts(with: pem) || isOtherPEM(input))
    }

    private static let pem = Array("-----BEGIN ".utf8)

    /// Whether PEM lines say what else they have.
    static func isOtherPEM(_ input: [UInt8]) -> Bool {
        guard input.starts(with: pem) else { return false }
        let label = input[pem.count...].prefix { $0 != UInt8(ascii: "-") }
        let words = label.split(separator: UInt8(ascii: " "))
        return words.contains { word in labelWords.contains { word.elementsEqual($0.utf8) } }
    }

    private static let labelWords = [
        "KEY", "CERTIFICATE", "REQUEST", "CRL", "PARAMETERS", "PKCS7", "CMS", "PGP", "AGE",
    ]

    private static func found(in starts: [Start], _ input: [UInt8]) -> String? {
        guard let start = starts.first(where: { $0.begins(input) }) else { return nil }
        return "It starts like \(start.name), not like an RNCryptor message. "
            + start.advice
    }

    private struct Start {
        let name: String
        let advice: String
        let begins: @Sendable ([UInt8]) -> Bool
    }

    private static let draft =
        "Version 4 is a draft that is not supported: write the message again as version 3."
    private static let decrypt = "Decrypt it with the program for such files."
    private static let unpack = "If a message is in it, unpack it first."
    private static let extract = "If a message is in it, extract that first."
    private static let check = "Check that it is the right file."
    private static let gunzip = """
        If a message is in it, 'gunzip < FILE | rncryptor decrypt' reads it. For a Safe Exam \
        Browser file, use 'zcat f.seb | tail -c +5 | rncryptor decrypt ... | zcat'.
        """

    private static let known = texts + binaries + markups

    /// A start comes before any shorter one that it begins with.
    private static let texts = [
        start("RNC\u{4}", "a message of version 4", advice: draft),
        start("age-encryption.org/", "an age file", advice: decrypt),
        start("-----BEGIN AGE ENCRYPTED FILE-----", "an age file", advice: decrypt),
        start("-----BEGIN PGP ", "OpenPGP text", advice: decrypt),
        start("Salted__", "an 'openssl enc' file", advice: decrypt),
        start("U2FsdGVkX1", "base64 text of 'openssl enc'", advice: decrypt),
        start("gAAAAA", "a Fernet token (Python's cryptography)", advice: decrypt),
        start("eyJ", "a JSON web token, or base64 text of JSON", advice: decrypt),
        start("$ANSIBLE_VAULT;", "an Ansible Vault file", advice: decrypt),
        start("\0GITCRYPT\0", "a git-crypt file", advice: decrypt),
        start("LUKS", "an encrypted disk (LUKS)", advice: decrypt),
        start("-----BEGIN ", "PEM text, such as a key or a certificate", advice: check),
        start("ssh-", "an SSH public key", advice: check),
        start(
            "version https://git-lfs.github.com/spec/", "a Git LFS pointer",
            advice: "'git lfs pull' fetches the file itself."),
        start("%PDF-", "a PDF document", advice: check),
        start("PK\u{3}\u{4}", "a zip archive or an Office document", advice: check),
        start("SQLite format 3\0", "an SQLite database", advice: check),
        start("bplist0", "a binary property list", advice: extract),
        start("GIF8", "a GIF picture", advice: check),
        start("\u{7F}ELF", "a program (ELF)", advice: check),
        start("BZh", "a bzip2 file", advice: unpack),
    ]

    private static let binaries =
        [
            start([0x1F, 0x8B, 8], "a gzip file", advice: gunzip),
            start([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", advice: unpack),
            start([0x28, 0xB5, 0x2F, 0xFD], "a zstd file", advice: unpack),
            start([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "an xz file", advice: unpack),
            start([4, 0x22, 0x4D, 0x18], "an lz4 file", advice: unpack),
            start([0x03, 0xD9, 0xA2, 0x9A], "a KeePass database", advice: decrypt),
            start([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], "a PNG picture", advice: check),
            start([0xFF, 0xD8, 0xFF], "a JPEG picture", advice: check),
        ] + (0...3).map { start(Array("AES".utf8) + [$0], "an AES Crypt file", advice: decrypt) }
        // The usual first packets (RFC 9580, section 4.2): for a key of Curve25519, or of RSA with
        // 2048, 3072 or 4096 bits, and for a password.
        + [
            [0x84, 0x5E, 3],
            [0x85, 1, 0x0C, 3],
            [0x85, 1, 0x8C, 3],
            [0x85, 2, 0x0C, 3],
            [0xC1, 0xC0, 0x4C, 3],
            [0x8C, 0x0D, 4],
            [0xC3, 0x0D, 4],
        ].map { start($0, "an OpenPGP message", advice: decrypt) }

    /// What the first characters of a text tell, and that it is one.
    private static let markups = [
        text("HTML, such as a server's login or error page", check) { text in
            ["<!doctype html", "<html", "<head"].contains { text.hasPrefix($0) }
        },
        text("XML", check) { $0.hasPrefix("<") },
        text("JSON", "If one of its strings is a message, extract that first.") { text in
            text.hasPrefix("{") || text.hasPrefix("[")
        },
        text("text", check) { _ in true },
    ]

    private static func start(_ text: String, _ name: String, advice: String) -> Start {
        start(Array(text.utf8), name, advice: advice)
    }

    private static func start(_ bytes: [UInt8], _ name: String, advice: String) -> Start {
        Start(name: name, advice: advice) { $0.starts(with: bytes) }
    }

    private static func text(
        _ name: String, _ advice: String, begins: @escaping @Sendable (String) -> Bool
    ) -> Start {
        Start(name: name, advice: advice) { input in
            beginningOfText(input).map(begins) ?? false
        }
    }

    /// The first characters of a text, in small letters; nil if it is none.
    private static func beginningOfText(_ input: [UInt8]) -> String? {
        var start = input.prefix(1024)
        // The last character may be divided.
        if start.count < input.count {
            while let last = start.last, last >= 0x80 { start.removeLast() }
        }
        guard Array(start).isHarmlessText,
            let text = String(validating: start, as: UTF8.self), !text.isEmpty
        else { return nil }
        return String(text.drop { $0.isWhitespace }.prefix(32)).lowercased()
    }
}
