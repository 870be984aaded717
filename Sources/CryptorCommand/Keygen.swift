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
            guard let path = arguments["output"], path != "-" else {
                return try Report.write(text)
            }
            try write(text, toNew: path)
        })

    private static func write(_ text: [UInt8], toNew word: Word) throws(CommandError) {
        let descriptor = createFile(word.bytes, mode: 0o600)
        guard descriptor >= 0 else {
            throw CommandError(.cannotCreate, "\(word.shown): It cannot be created: \(systemMessage(errno)).")
        }
        var number = writeAll(text, to: descriptor) && uninterrupted { fsync(descriptor) } == 0 ? nil : errno
        // What has the name by now may be somebody else's.
        let isStillThere = FileIdentity(of: .descriptor(descriptor)) == FileIdentity(of: FileEndpoint(path: word.bytes))
        // Interrupted, it is closed all the same.
        if close(descriptor) != 0 && errno != EINTR && number == nil { number = errno }
        if let number {
            if isStillThere { _ = removeFile(word.bytes) }
            guard Interruption.signal == nil else { throw .interrupted }
            throw CommandError(.inputOutput, "\(word.shown): It cannot be written: \(systemMessage(number)).")
        }
    }
}
