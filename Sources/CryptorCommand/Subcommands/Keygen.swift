import CryptorFiles

extension Subcommand {
    static let keygen = Subcommand(
        name: "keygen",
        summary: "Generate a key file.",
        operands: "",
        discussion: """
            Writes 128 hexadecimal digits for --key-file: a random encryption key, then a random
            HMAC key, 32 bytes each. Anybody who has the file can read and forge all messages that
            use it, and without it nobody can.
            """,
        examples: [
            "rncryptor keygen -o key",
            "rncryptor keygen | ssh server 'umask 077; cat > key'",
        ],
        ownOptions: [
            Option(
                "output", letter: "o", value: .file("FILE"),
                """
                Write to FILE instead of standard output. FILE must not exist, and only its owner \
                can read it.
                """)
        ],
        run: { arguments in
            if let name = arguments.operands.first {
                throw CommandError.usage(
                    "keygen takes no operands",
                    hint: "'rncryptor keygen --output \(name.shown)' writes the keys to a file.")
            }
            let destination = Destination.named(by: arguments) ?? .standardOutput
            var text = try MessageKeys.random().keyFileText()
            defer { text.cleanse() }
            if let file = destination.single, file.descriptor == nil {
                try write(text, toNew: file)
            } else {
                warnOfReaders()
                try Report.write(text, isKey: true)
            }
        })

    private static func write(
        _ keys: [UInt8], toNew file: FileEndpoint
    ) throws(CommandError) {
        do throws(CryptorError) {
            try file.writeSecret(keys, progress: Interruption.check)
        } catch {
            // It has no --force, which another hint would name.
            throw CommandError(ExitStatus(error), error.whatHappened)
        }
        guard AttributeWarning.rights(to: file) != 0 else { return }
        Report.complain(
            "warning", "\(file): Its file system gives rights to the keys to others than you.")
    }

    /// Warns if others may see the keys that go to standard output.
    private static func warnOfReaders() {
        let output = FileEndpoint.standardOutput
        let advice = "Use --output to write them to a private file."
        if output.isTerminal {
            Report.complain(
                "warning", "The terminal shows the keys and may record them. \(advice)")
        } else if output.isReadableByOthers {
            Report.complain(
                "warning", "Other users can read the file that gets the keys. \(advice)")
        }
    }
}
