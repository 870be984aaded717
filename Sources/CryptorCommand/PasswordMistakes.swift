import CryptorFiles
#if !canImport(Darwin)
// For the normal forms of Unicode, which the standard library has for its own use.
@_spi(_Unicode) import Swift
#endif

/// A credential that may have been meant in place of the one that was given.
typealias Suspect = (cause: Cause, advice: String, credential: Credential)

extension Credential {
    /// What a mistake may have made of this credential, when the message was written or now.
    func suspects(iterationsUpTo limit: Int) -> [Suspect] {
        guard let messageKeys else {
            return PasswordMistakes(in: self, iterationsUpTo: limit)?.suspects ?? []
        }
        var text = messageKeys.keyFileText()
        defer { cleanse(&text) }
        var suspects: [Suspect] = []
        if let swapped = messageKeys.swapped {
            let advice =
                "The two keys are in the wrong order: put the last 64 digits of the key file first."
            suspects.append((.keysSwapped, advice, .keys(swapped)))
        }
        if let password = try? Credential.password(utf8: text.dropLast()) {
            let advice = """
                The message was written under the text of the keys as a password: give that with \
                --password-file, and 'rncryptor rekey' the message.
                """
            suspects.append((.keysAsPassword, advice, password))
        }
        return suspects
    }
}

extension MessageKeys {
    /// Each of the two keys in the place of the other.
    fileprivate var swapped: MessageKeys? {
        var (encryptionKey, hmacKey) = copyKeys()
        defer {
            cleanse(&encryptionKey)
            cleanse(&hmacKey)
        }
        return try? MessageKeys(encryptionKey: hmacKey, hmacKey: encryptionKey)
    }
}

/// What people and programs do to a password on its way.
private struct PasswordMistakes {
    private static let additions: [(cause: Cause, what: String, before: String, after: String)] = [
        (.passwordNewline, "a newline (LF) behind it", "", "\n"),
        (.passwordNewline, "a carriage return and a newline (CR LF) behind it", "", "\r\n"),
        (.passwordNewline, "a carriage return (CR) and no newline behind it", "", "\r"),
        (.passwordNewline, "two newlines (LF) behind it", "", "\n\n"),
        (.passwordSpace, "a space behind it", "", " "),
        (.passwordSpace, "a space before it", " ", ""),
        (.passwordByteOrderMark, "a byte order mark before it", "\u{FEFF}", ""),
        (.passwordQuoted, "double quotes around it", "\"", "\""),
        (.passwordQuoted, "single quotes around it", "'", "'"),
    ]
    private static let usualIterations = [
        1, 10, 100, 500, 1000, 1024, 2000, 2048, 4000, 4096, 5000, 8192, 10_000, 20_000, 50_000,
        65_536, 100_000, 120_000, 131_072, 150_000, 200_000, 210_000, 250_000, 262_144, 300_000,
        310_000, 500_000, 524_288, 600_000, 720_000, 1_000_000, 1_048_576, 1_300_000, 2_000_000,
        5_000_000, 10_000_000,
    ]

    private(set) var suspects: [Suspect] = []
    private var given: [UInt8]
    private let iterations: Int

    init?(in credential: Credential, iterationsUpTo limit: Int) {
        guard let iterations = credential.passwordIterations else { return nil }
        self.iterations = iterations
        given = credential.copyPassword()
        defer { cleanse(&given) }
        addAdditions()
        add(
            .passwordSpace, "without the spaces in it",
            as: mapped { $0 == UInt8(ascii: " ") ? [] : [$0] })
        addEncodings()
        addCases()
        add(.passwordShortened, "up to its first zero byte", as: Array(given.prefix { $0 != 0 }))
        addShortenedReadings(of: credential)
        addEmptyPassword()
        addKeys()
        addIterations(upTo: limit)
    }

    private mutating func addAdditions() {
        for (cause, what, before, after) in Self.additions {
            let before = Array(before.utf8)
            let after = Array(after.utf8)
            // Growing would leave copies behind.
            var longer: [UInt8] = []
            longer.reserveCapacity(before.count + given.count + after.count)
            for part in [before, given, after] { longer += part }
            add(cause, "with \(what)", as: consume longer)

            guard given.starts(with: before), given.hasEnding(after) else { continue }
            let advice = """
                The password that you gave has \(what), and that of the message has not: remove it.
                """
            let shorter = Array(given.dropFirst(before.count).dropLast(after.count))
            add(cause, saying: advice, as: consume shorter)
        }
    }

    private mutating func addShortenedReadings(of credential: Credential) {
        let advice = """
            The writer used only the beginning of the password, as some of version 2 and older \
            did: --accept-shortened-passwords reads it.
            """
        suspects += credential.shortenedReadings.map { (.passwordShortened, advice, $0) }
    }

    private mutating func addEmptyPassword() {
        let advice = """
            The message was written under the empty password, so anybody can read and forge it: \
            --empty-password reads it.
            """
        suspects.append((.passwordEmpty, advice, .emptyPassword))
    }

    private mutating func addKeys() {
        guard let keys = try? MessageKeys(hexadecimal: given) else { return }
        let advice = "The password is the text of the keys: give its file with --key-file."
        suspects.append((.keysAsPassword, advice, .keys(keys)))
    }

    private mutating func addIterations(upTo limit: Int) {
        for count in Self.usualIterations where count <= limit && count != iterations {
            guard let credential = try? Credential.password(utf8: given, iterations: count) else {
                continue
            }
            let advice = """
                The message was written with another number of iterations: --iterations \(count) \
                reads it.
                """
            suspects.append((.iterations, advice, credential))
        }
    }

    private mutating func add(_ cause: Cause, _ what: String, as password: consuming [UInt8]) {
        let advice = """
            The message was written under the password \(what). Give it like that with \
            --password-file, which takes one newline off its end, and 'rncryptor rekey' the \
            message.
            """
        add(cause, saying: advice, as: consume password)
    }

    /// Nothing is added if the password is empty, or is the one that was given.
    private mutating func add(
        _ cause: Cause, saying advice: String, as password: consuming [UInt8]
    ) {
        defer { cleanse(&password) }
        guard password != given else { return }
        let credential = try? Credential.password(utf8: password, iterations: iterations)
        guard let credential else { return }
        suspects.append((cause, advice, credential))
    }

    /// The password, if it is text that is not ASCII. A string cannot be cleansed: others become
    /// one only if they look like UTF-16.
    private var accentedText: String? {
        given.contains { $0 >= 0x80 } ? String(validating: given, as: UTF8.self) : nil
    }

    /// What becomes of the password if each byte becomes none, one or two. Nothing grows, which
    /// would leave copies behind.
    private func mapped(_ change: (UInt8) -> [UInt8]) -> [UInt8] {
        var changed: [UInt8] = []
        changed.reserveCapacity(2 * given.count)
        for byte in given { changed += change(byte) }
        return changed
    }

    private mutating func addEncodings() {
        #if !canImport(Darwin)
        if let text = accentedText {
            let composed = text._nfc
            add(
                .passwordLatin1, "in Latin-1, not UTF-8",
                as: composed.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") })
            add(
                .passwordNFC, "with accents in one piece (NFC)",
                as: composed.flatMap { Array(String($0).utf8) })
            add(
                .passwordNFD, "with accents taken apart (NFD)",
                as: text._nfd.flatMap { Array(String($0).utf8) })
        }
        #endif
        add(
            .passwordLatin1, "in UTF-8, after it had been read as Latin-1",
            as: mapped { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] })
        addUTF16()
    }

    private mutating func addUTF16() {
        let mark: [UInt8] = [0xFF, 0xFE]
        var inUTF16 =
            if let text = accentedText {
                text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            } else {
                mapped { [$0, 0] }
            }
        defer { cleanse(&inUTF16) }
        add(.passwordUTF16, "in UTF-16 (low byte first), not UTF-8", as: inUTF16)
        add(
            .passwordUTF16, "in UTF-16 (low byte first) with a byte order mark, not UTF-8",
            as: mark + inUTF16)
        addText(ofUTF16: given.starts(with: mark) ? given[2...] : given[...])
    }

    /// The text of a password that was given in UTF-16, if it looks like one.
    private mutating func addText(ofUTF16 bytes: ArraySlice<UInt8>) {
        // Half of the newline at the end of a file may be gone.
        let pairs = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
        let units = pairs.lazy.map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        guard units.contains(where: { $0 < 0x80 }),
            let text = String(validating: units, as: UTF16.self)
        else { return }
        add(
            .passwordUTF16,
            saying: "The password that you gave is in UTF-16: save it as UTF-8.",
            as: text.utf8.filter { !"\r\n".utf8.contains($0) })
    }

    private mutating func addCases() {
        /// An ASCII letter becomes the other case; both differ in one bit.
        func swapped(_ byte: UInt8) -> UInt8 {
            let isLetter = byte < 0x80 && 0x61...0x7A ~= byte | 0x20
            return isLetter ? byte ^ 0x20 : byte
        }
        let what = "with all letters of the other case, as caps lock makes them"
        add(.passwordCase, what, as: given.map(swapped))
        // The keyboard of a telephone begins with a capital.
        let first = "with the first letter of the other case"
        add(.passwordCase, first, as: given.prefix(1).map(swapped) + given.dropFirst())
        guard let text = accentedText else { return }
        let other = text.map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }.joined()
        add(.passwordCase, what, as: Array(other.utf8))
    }
}
