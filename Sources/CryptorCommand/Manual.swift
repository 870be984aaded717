import CryptorFormat

/// The man page, made from the tables of options that the parser uses.
extension Subcommand {
    static let manual = Subcommand(
        name: "manual", summary: "Write the man page of this command.",
        operands: "",
        discussion: """
            To read it: 'rncryptor manual | man -l -'. To keep it, write it to
            man1/rncryptor.1 where man(1) looks.
            """,
        options: [],
        run: { arguments throws(CommandError) in
            guard arguments.operands.isEmpty else { throw .usage("manual takes no operands") }
            try Report.tell(ManualPage.text)
        })
}

private enum ManualPage {
    static var text: String {
        """
        .TH RNCRYPTOR 1 2026-11-20 "rncryptor \(Cryptor.version.prefix { $0 != " " })"
        .SH NAME
        rncryptor \\- encrypt and decrypt files in the RNCryptor format
        .SH SYNOPSIS
        \(Subcommand.all.map { ".B rncryptor \($0.name)\n\(escaped("[OPTIONS] \($0.operands)"))" }.joined(separator: "\n.br\n"))
        .SH DESCRIPTION
        Writes version 3 of the format: AES\\-256\\-CBC, then HMAC\\-SHA256 over header and ciphertext, under two random
        keys or under a password, from which PBKDF2\\-HMAC\\-SHA1 with 10,000 iterations derives them. That is little:
        use long generated passwords, or keys.
        .PP
        Files appear only when they are whole and, decrypted, verified. Passwords are never taken from an argument, which
        every user of the machine could read.
        \(Subcommand.all.map(section).joined(separator: "\n"))
        .SH EXIT STATUS
        \(ExitStatus.explanations.map { entry("\\fB\($0.0)\\fR", escaped($0.1)) }.joined(separator: "\n"))
        .SH ENVIRONMENT
        \(entry("\\fBTMPDIR\\fR", "Where a message that comes through a pipe is kept, as ciphertext and without a name, while it is verified; /tmp if it is not set."))
        .SH EXAMPLES
        .nf
        rncryptor encrypt \\-o notes.rnc notes.txt
        rncryptor decrypt \\-o notes.txt notes.rnc
        tar c photos | rncryptor encrypt \\-\\-password\\-file secret > photos.rnc
        rncryptor keygen \\-o key
        rncryptor encrypt \\-\\-key\\-file key \\-\\-suffix .rnc \\-\\-remove\\-source *.log
        .fi
        .SH SEE ALSO
        .BR age (1),
        .BR gpg (1),
        .BR openssl\\-enc (1ssl)

        """
    }

    private static func section(_ subcommand: Subcommand) -> String {
        let options = subcommand.allOptions.map { option in
            let value = option.valueName.map { " \\fI\($0)\\fR" } ?? ""
            let spellings = option.spellings.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
            return entry(spellings + value, escaped(option.help))
        }
        return """
            .SH \(subcommand.name.uppercased())
            \(escaped(subcommand.summary))
            .PP
            \(escaped(subcommand.discussion))
            \(options.joined(separator: "\n"))
            """
    }

    private static func entry(_ term: String, _ text: String) -> String { ".TP\n\(term)\n\(text)" }

    /// Backslashes and dashes mean something to roff(7), as do dots and quotes at the start of a line. An empty line
    /// ends a paragraph.
    private static func escaped(_ text: String) -> String {
        let lines = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { $0.isEmpty ? ".PP" : $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }
            .joined(separator: "\n")
    }
}
