import CryptorFiles
import CryptorPrimitives
#if !canImport(Darwin)
// For the normal forms of Unicode, which the standard library has for its own use.
@_spi(_Unicode) import Swift
#endif

/// A credential that may have been meant in place of the one that was given.
struct Suspect {
    let cause: Cause
    let advice: String
    let credential: Credential
}

extension Credential {
    /// What a mistake may have made of this credential, when the message was written or now.
    var suspects: [Suspect] {
        if let keyPair { return Self.suspects(insteadOf: keyPair) }
        guard let (secret, iterations) = password else { return [] }
        var mistakes = PasswordMistakes(
            given: secret.withRawSpan { bytes in Array(copying: bytes) }, iterations: iterations)
        mistakes.addAll()
        let advice =
            "The writer used only the beginning of the password, as some of version 2 and older did: "
            + "--accept-shortened-passwords reads it."
        return mistakes.suspects
            + shortenedReadings.map { Suspect(cause: .passwordShortened, advice: advice, credential: $0) }
    }

    private static func suspects(insteadOf keys: KeyPair) -> [Suspect] {
        let swapped = KeyPair(encryptionKey: keys.hmacKey, hmacKey: keys.encryptionKey)
        var suspects = [
            Suspect(
                cause: .keysSwapped,
                advice: "The two keys are in the wrong order: put the last 64 digits of the key file first.",
                credential: .keys(swapped))
        ]
        let advice =
            "The message was written under the text of the keys as a password, in small letters or in capitals: give "
            + "that with --password-file, and 'rncryptor rekey' the message."
        var text = KeyFile.text(keys)
        var capitals = text.map { $0 >= UInt8(ascii: "a") ? $0 - 0x20 : $0 }
        for password in [text.dropLast(), capitals.dropLast(), text[...], capitals[...]] {
            guard let credential = try? Credential.password(utf8: password) else { continue }
            suspects.append(Suspect(cause: .keysAsPassword, advice: advice, credential: credential))
        }
        cleanse(&text)
        cleanse(&capitals)
        return suspects
    }

    /// The password with other numbers of iterations.
    func suspects(iterationsUpTo limit: Int) -> [Suspect] {
        guard let (secret, given) = password else { return [] }
        var bytes = secret.withRawSpan { bytes in Array(copying: bytes) }
        defer { cleanse(&bytes) }
        return Self.usualIterations.filter { $0 <= limit && $0 != given }.compactMap { count in
            let advice = "The message was written with \(count) iterations: --iterations \(count) reads it."
            let credential = try? Credential.password(utf8: bytes, iterations: count)
            return credential.map { Suspect(cause: .iterations, advice: advice, credential: $0) }
        }
    }

    private static let usualIterations = [
        1, 10, 100, 500, 1000, 1024, 2000, 2048, 4000, 4096, 5000, 8192, 10_000, 20_000, 50_000, 65_536, 100_000,
        120_000,
        131_072, 150_000, 200_000, 210_000, 250_000, 262_144, 300_000, 310_000, 500_000, 524_288, 600_000, 720_000,
        1_000_000,
        1_048_576, 1_300_000, 2_000_000, 5_000_000, 10_000_000,
    ]
}

/// What people and programs do to a password on its way.
private struct PasswordMistakes {
    private(set) var suspects: [Suspect] = []
    private var given: [UInt8]
    private let iterations: Int

    init(given: [UInt8], iterations: Int) { (self.given, self.iterations) = (given, iterations) }

    /// Called once, since it cleanses what was given.
    mutating func addAll() {
        defer { cleanse(&given) }
        for end in ["\n", "\r\n", "\r", "\n\n"] { add(.passwordNewline, "a newline behind it", before: "", after: end) }
        for (start, end) in [("", " "), (" ", ""), (" ", " "), ("", "  "), ("", "\t"), ("", "\u{A0}"), ("\u{A0}", "")] {
            add(.passwordSpace, "a space beside it", before: start, after: end)
        }
        add(.passwordSpace, "without the spaces in it", as: given.filter { $0 != UInt8(ascii: " ") })
        add(.passwordByteOrderMark, "a byte order mark before it", before: "\u{FEFF}", after: "")
        addEncodings()
        for quote in ["\"", "'"] { add(.passwordQuoted, "quotes around it", before: quote, after: quote) }
        addCases()
        add(.passwordShortened, "up to its first zero byte", as: Array(given.prefix { $0 != 0 }))
        let empty =
            "The message was written under the empty password, so anybody can read and forge it: --empty-password reads it."
        suspects.append(Suspect(cause: .passwordEmpty, advice: empty, credential: .emptyPassword))
        guard let keys = try? KeyPair(hexadecimal: given) else { return }
        let advice = "The password is the text of the keys: give its file with --key-file."
        suspects.append(Suspect(cause: .keysAsPassword, advice: advice, credential: .keys(keys)))
    }

    /// Adds the password with something around it, and without.
    private mutating func add(_ cause: Cause, _ what: String, before start: String, after end: String) {
        let (before, after) = (Array(start.utf8), Array(end.utf8))
        // Growing would leave copies behind.
        var longer: [UInt8] = []
        longer.reserveCapacity(before.count + given.count + after.count)
        for part in [before, given, after] { longer += part }
        add(cause, "with \(what)", as: longer)
        guard given.starts(with: before), given.hasEnding(after) else { return }
        let advice = "The password that you gave has \(what), and that of the message has not: remove it."
        add(cause, saying: advice, as: Array(given.dropFirst(before.count).dropLast(after.count)))
    }

    private mutating func add(_ cause: Cause, _ what: String, as password: consuming [UInt8]) {
        let way = "with --password-file, which takes one newline off its end, and 'rncryptor rekey' the message."
        add(cause, saying: "The message was written under the password \(what). Give it like that \(way)", as: password)
    }

    /// Nothing is added if the password is empty, or is the one that was given.
    private mutating func add(_ cause: Cause, saying advice: String, as password: consuming [UInt8]) {
        if password != given, let credential = try? Credential.password(utf8: password, iterations: iterations) {
            suspects.append(Suspect(cause: cause, advice: advice, credential: credential))
        }
        cleanse(&password)
    }

    private mutating func addEncodings() {
        let toLatin1 = { (scalar: UInt32) in [UInt8(exactly: scalar) ?? UInt8(ascii: "?")] }
        let inLatin1 = "in Latin-1, not UTF-8"
        #if !canImport(Darwin)
        if let text = accentedText {
            var composed = text._nfc.flatMap { Array(String($0).utf8) }
            add(.passwordLatin1, inLatin1, as: recoded(composed, from: UTF8.self, to: UTF32.self, toLatin1))
            add(.passwordNFC, "with accented letters in one piece (NFC)", as: composed)
            add(
                .passwordNFD, "with accented letters taken apart (NFD)",
                as: text._nfd.flatMap { Array(String($0).utf8) })
            cleanse(&composed)
        }
        #endif
        add(.passwordLatin1, inLatin1, as: recoded(given, from: UTF8.self, to: UTF32.self, toLatin1))
        add(
            .passwordLatin1, "in UTF-8, after it had been read as Latin-1",
            as: given.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] })
        for (mark, high) in [([0xFF, 0xFE], 1), ([0xFE, 0xFF], 0)] as [([UInt8], Int)] {
            let inUTF16 = recoded(given, from: UTF8.self, to: UTF16.self) { unit in
                let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return high == 0 ? bytes : bytes.reversed()
            }
            for start in [[], mark] { add(.passwordUTF16, "in UTF-16, not UTF-8", as: start + inUTF16) }
            let text = given.starts(with: mark) ? given[2...] : given[...]
            let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).lazy.map { place in
                UInt16(text[place + high]) << 8 | UInt16(text[place + 1 - high])
            }
            // Half of the newline at the end of a file may be gone.
            let line = recoded(units, from: UTF16.self, to: UTF8.self) { "\r\n".utf8.contains($0) ? [] : [$0] }
            add(.passwordUTF16, saying: "The password that you gave is in UTF-16: save it as UTF-8.", as: line)
        }
    }

    /// The text in another encoding; empty if it is not text.
    private func recoded<From: UnicodeCodec, To: UnicodeCodec>(
        _ units: some Sequence<From.CodeUnit>, from: From.Type, to: To.Type, _ bytes: (To.CodeUnit) -> [UInt8]
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * given.count)
        let isBroken = transcode(units.makeIterator(), from: From.self, to: To.self, stoppingOnError: true) {
            text += bytes($0)
        }
        return isBroken ? [] : text
    }

    /// The password, if it is text that is not ASCII. A string cannot be cleansed, so others do not become one.
    private var accentedText: String? {
        given.contains { $0 >= 0x80 } ? String(validating: given, as: UTF8.self) : nil
    }

    private mutating func addCases() {
        func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 && byte < 0x80 }
        let what = "with letters of the other case, as caps lock makes them"
        add(.passwordCase, what, as: given.map { isLetter($0) ? $0 ^ 0x20 : $0 })
        add(.passwordCase, what, as: given.map { isLetter($0) ? $0 | 0x20 : $0 })
        add(.passwordCase, what, as: given.map { isLetter($0) ? $0 & 0xDF : $0 })
        // The keyboard of a telephone begins with a capital.
        add(.passwordCase, what, as: given.prefix(1).map { isLetter($0) ? $0 ^ 0x20 : $0 } + given.dropFirst())
        guard let text = accentedText else { return }
        let swapped = text.map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }.joined()
        for text in [swapped, text.lowercased(), text.uppercased()] { add(.passwordCase, what, as: Array(text.utf8)) }
    }
}
