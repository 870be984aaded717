import CryptorFiles

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
            var text = KeyFile.text(try commandError(KeyPair.random))
            defer { cleanse(&text) }
            guard let path = arguments["output"], path != "-" else { return try Report.write(text) }
            do throws(CryptorError) {
                try PrivateFile.write(text, toNew: .pathBytes(path.bytes)) { _ in try Interruption.check() }
            } catch {
                guard error.code == .destinationExists else { throw CommandError(error) }
                throw CommandError(
                    .cannotCreate, "\(path.shown): It exists and was not touched. keygen overwrites nothing.")
            }
        })
}

/// The text form of a key pair: 128 hexadecimal digits, encryption key then HMAC key; white space does not count.
enum KeyFile {
    /// - Parameter file: the file that the text is from, for the error.
    static func credential(_ text: [UInt8], _ file: FileEndpoint) throws(CommandError) -> Credential {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        defer { cleanse(&digits) }
        for byte in text {
            if Array(" \t\r\n".utf8).contains(byte) { continue }
            guard let digit = byte.hexadecimalValue else {
                throw CommandError(.malformed, "\(file): It is not a key file: it holds more than hexadecimal digits.")
            }
            digits.append(digit)
        }
        let count = KeyPair.keyByteCount
        guard digits.count == 4 * count else {
            throw CommandError(
                .malformed,
                "\(file): It is not a key file: it has \(digits.count) hexadecimal digits, and two keys have \(4 * count)."
            )
        }
        var bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        defer { cleanse(&bytes) }
        return .keys(
            try commandError { () throws(CryptorError) in
                try KeyPair(encryptionKey: bytes.prefix(count), hmacKey: bytes.suffix(count))
            })
    }

    /// The text of a key pair, with a newline. The caller cleanses it.
    static func text(_ keys: KeyPair) -> [UInt8] {
        var (encryptionKey, hmacKey) = keys.copyKeys()
        defer {
            cleanse(&encryptionKey)
            cleanse(&hmacKey)
        }
        var text: [UInt8] = []
        // Growing would leave copies behind.
        text.reserveCapacity(4 * KeyPair.keyByteCount + 1)
        for key in [encryptionKey, hmacKey] {
            for byte in key { text += byte.hexadecimal.utf8 }
        }
        text.append(UInt8(ascii: "\n"))
        return text
    }
}
