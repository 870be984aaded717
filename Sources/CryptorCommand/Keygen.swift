import CryptorFormat

extension Subcommand {
    static let keygen = Subcommand(
        name: "keygen", summary: "Make a fresh key file.",
        operands: "",
        discussion: """
            Writes 128 hexadecimal digits: a random encryption key, then a random HMAC
            key, 32 bytes each, for --key-file. Whoever has the file can read and forge
            every message under it, and without it nobody can.
            """,
        options: [
            Option(
                "output", letter: "o", value: "FILE",
                "Write to FILE, which must not exist and which only its owner may read, and not to standard output.")
        ],
        run: { arguments throws(CommandError) in
            guard arguments.operands.isEmpty else { throw .usage("keygen takes no operands") }
            let keys: KeyPair
            do throws(CryptorError) { keys = try .random() } catch { throw CommandError(error) }
            var text = KeyFile.text(keys)
            defer { cleanse(&text) }
            guard let path = arguments["output"], path != "-" else { return try Report.write(text) }
            do throws(CryptorError) {
                try PrivateFile.write(text, toNew: .pathBytes(path.bytes)) { _ in try Interruption.check() }
            } catch {
                guard error.code == .destinationExists else { throw CommandError(error) }
                let message = "\(path.shown): It exists and was not touched. keygen overwrites nothing."
                throw CommandError(.cannotCreate, message)
            }
        })
}
