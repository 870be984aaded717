import CryptorFiles
import CryptorPrimitives

extension Subcommand {
    static let keygen = Subcommand(
        name: "keygen", summary: "Make a fresh key file.", operands: "",
        discussion: """
            Writes 128 hexadecimal digits: a random encryption key, then a random HMAC key, 32 bytes each, for
            --key-file. Whoever has the file can read and forge every message under it, and without it nobody can.
            """,
        examples: [
            "rncryptor keygen -o key", "rncryptor keygen | ssh server 'umask 077; cat > key'",
        ],
        ownOptions: [
            Option(
                "output", letter: "o", value: "FILE",
                "Write to FILE, which must not exist and which only its owner may read, not to standard output."
            )
        ],
        run: { arguments throws(CommandError) in
            guard arguments.operands.isEmpty else { throw .usage("keygen takes no operands") }
            var text = try commandError(try KeyPair.random()).keyFileText()
            defer { cleanse(&text) }
            guard let path = arguments["output"], path != "-" else {
                let output = FileEndpoint.standardOutput
                let danger =
                    output.isReadableByOthers
                    ? "Other users may read the file that the keys go to." : nil
                if let danger = output.isTerminal
                    ? "The terminal shows the keys, and may keep them." : danger
                {
                    Report.complain("warning", "\(danger) --output writes them to a private file.")
                }
                return try Report.write(text, isKey: true)
            }
            do throws(CryptorError) {
                try PrivateFile.write(
                    text, toNew: .pathBytes(path.bytes), progress: Interruption.check)
            } catch {
                // It has no --force, which another hint would name.
                throw CommandError(ExitStatus(error), error.whatHappened)
            }
        })
}

extension KeyPair {
    /// The text of a key file, with a newline. The caller cleanses it.
    func keyFileText() -> [UInt8] {
        var text: [UInt8] = []
        // Growing would leave copies behind.
        text.reserveCapacity(4 * Self.keyByteCount + 1)
        for key in [encryptionKey, hmacKey] {
            key.withRawSpan { bytes in
                for index in bytes.byteOffsets { text += bytes.byte(at: index).hexadecimal.utf8 }
            }
        }
        text.append(UInt8(ascii: "\n"))
        return text
    }
}
