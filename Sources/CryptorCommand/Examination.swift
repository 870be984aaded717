import CryptorFiles
import CryptorPrimitives

/// Looks for the mistake in messages. What a wrong password and an altered message have in common
/// is never taken for a cause: the HMAC decides, or bytes that say it themselves.
struct Examination {
    private let credentials: [Credential]
    private let suspects: [Suspect]

    init(_ credentials: [Credential], iterationsUpTo limit: Int) {
        self.credentials = credentials
        suspects = credentials.flatMap { $0.suspects(iterationsUpTo: limit) }
    }

    /// - Parameter input: all of a file. It is used up, because half of the memory is its own.
    func diagnosis(of input: consuming [UInt8]) throws(CryptorError) -> Diagnosis {
        guard let first = input.first else {
            return Diagnosis(
                .truncated, "It is empty: it was never written, or lost. Fetch it again.")
        }
        guard try !hasOnlyZeros(input) else {
            return Diagnosis(
                .onlyZeros, "Its contents were lost, or never written. Fetch it again.")
        }
        if isVersion(first) {
            let repairs = try Repairs(of: copy input)
            if let found = try verified(input, repairs) { return found }
            return try unverified(input, repairs)
        }
        let foreign = ForeignStart.of(input)
        guard let text = try MessageText(consume input) else {
            if let foreign { return Diagnosis(.foreign, foreign) }
            return Diagnosis(
                nil, "It starts as no message: it is something else, or was altered.")
        }
        guard let first = text.message.first, isVersion(first) else {
            return Diagnosis(
                nil, "Part of the text was lost or altered.", possible: [text.cause, .truncated])
        }
        // The text is the cause only if what is in it is authentic, perhaps with one more mistake.
        let repairs = try Repairs(of: text.message)
        if let found = try verified(text.message, repairs) {
            let advice = found.opens ? text.advice : "\(text.advice) \(found.advice)"
            return Diagnosis(text.cause, advice)
        }
        var found = try unverified(text.message, repairs)
        found.possible.insert(text.cause, at: 0)
        return found
    }

    private func isVersion(_ byte: UInt8) -> Bool {
        byte == 0 || FormatVersion(rawValue: byte) != nil
    }

    private func hasOnlyZeros(_ input: [UInt8]) throws(CryptorError) -> Bool {
        var isZero = true
        try Interruption.pieces(of: input.indices) { piece in
            isZero = isZero && input[piece].allSatisfy { $0 == 0 }
        }
        return isZero
    }

    // MARK: A message whose HMAC matches

    /// Nil if the HMAC matches under nothing that was given or suspected.
    private func verified(
        _ message: [UInt8], _ repairs: Repairs
    ) throws(CryptorError) -> Diagnosis? {
        let version = message[0]
        let old =
            " It is of version \(version), which is read with --accept v\(version); 'rncryptor rekey' converts it."
        let note = version > 1 ? "" : old
        var trials = credentials.map { Trial($0) }
        for index in trials.indices {
            let obstacle = try trials[index].obstacle(to: message[...])
            if obstacle == .corruptPadding {
                return try paddingFault(message, trials[index].credential)
            }
            guard obstacle == nil else { continue }
            guard version > 1 else {
                return Diagnosis(.versionNotAccepted, "The HMAC matches." + note)
            }
            let newline = " The newline at the end of a password file is not part of the password."
            let isPassword = trials[index].credential.writesUnderPassword
            return Diagnosis(nil, "It opens as it is." + (isPassword ? newline : ""), opens: true)
        }
        for suspect in suspects {
            var trial = Trial(suspect.credential)
            guard try trial.isAuthentic(message[...]) else { continue }
            return Diagnosis(suspect.cause, suspect.advice + note)
        }
        for repair in repairs.all {
            // One at a time, because each may be as large as the message.
            let repaired = try repair.undo(message[...])
            for index in trials.indices where try trials[index].isAuthentic(repaired) {
                return Diagnosis(repair.cause, repair.advice)
            }
        }
        return nil
    }

    /// What is wrong with the padding of an authentic message.
    private func paddingFault(_ message: [UInt8], _ credential: Credential) throws(CryptorError)
        -> Diagnosis
    {
        let advice = "The HMAC matches, but the padding is wrong."
        let faulty = Diagnosis(nil, "\(advice) The program that wrote the message is faulty.")
        let terms = ReadingTerms(credential: credential, accepting: .all)
        guard let keys = try terms.keySource(for: try terms.header(ofWhole: message))?.keys() else {
            return faulty
        }
        // The block before the last one, or the IV, is what CBC adds to it.
        let blocks = message.dropLast(FormatVersion.written.hmacByteCount).suffix(
            2 * FormatSize.block)
        let iv = Array(blocks.prefix(FormatSize.block))
        let last = Array(blocks.suffix(FormatSize.block))
        var plaintext: [UInt8] = []
        try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(decryptingWithHalfOf: keys.encryptionKey, iv: iv)
            try cipher.update(last, replacing: &plaintext)
        }
        // One byte of padding is right by chance once in 256 times: it tells something after text
        // only.
        guard
            let count = PKCS7Padding.plaintextByteCount(
                ofLastBlock: plaintext.rawSpan(0..<last.count)),
            count < 15 || TerminalText.isHarmless(Array(plaintext.prefix(count)))
        else { return faulty }
        return Diagnosis(
            .aes128,
            "\(advice) It is right under AES-128, with the first 16 bytes of the encryption key: read the message with the "
                + "program that wrote it, and write it anew.")
    }

    // MARK: Any other message

    private func unverified(
        _ message: [UInt8], _ repairs: Repairs
    ) throws(CryptorError) -> Diagnosis {
        var found = Diagnosis(
            nil, "Wrong password or keys, or the message was altered.", possible: repairs.possible)
        let version = message[0]
        guard message.count > 1, message[1] <= 1 else {
            found.possible.append(.truncated)
            return found
        }
        if try isTextWithReplacements(message) {
            return Diagnosis(
                .utf8Damaged,
                "It was read as UTF-8 text, which replaced what is no such text, and cannot be undone. Fetch it again "
                    + "as bytes, or send it in base64 text.")
        }
        let isSound = Repairs.isSound(message[...], byteCount: message.count)
        guard isSound || version == 0 || !found.possible.isEmpty else {
            return Diagnosis(
                .truncated,
                "No message of version \(version) has \(message.count) bytes: some are missing, or were added. Fetch "
                    + "it again, as bytes.")
        }
        found.possible.append(.truncated)
        guard isSound, version > 0 else { return found }
        let needsPassword = message[1] == 1
        // Whoever altered this bit has made the one kind of message look like the other.
        var start = message.prefix(FormatSize.passwordHeader)
        start[1] ^= 1
        for credential in credentials {
            var trial = Trial(credential)
            if try trial.isAuthentic(message[...], start: start) { return found }
        }
        if credentials.contains(where: { $0.writesUnderPassword == needsPassword }) {
            return needsPassword
                ? Diagnosis(nil, found.advice, possible: found.possible + [.iterations]) : found
        }
        return needsPassword
            ? Diagnosis(
                .needsPassword,
                "It was encrypted with a password, and keys were given: give the password.")
            : Diagnosis(
                .needsKeys,
                "It was encrypted with keys, and a password was given: give the keys with --key-file."
            )
    }

    /// Whether the message is UTF-8 text with the character that stands for what was none.
    private func isTextWithReplacements(_ message: [UInt8]) throws(CryptorError) -> Bool {
        var hasReplacements = false
        var isText = true
        var start = 0
        try Interruption.pieces(of: message.indices) { piece in
            guard isText else { return }
            // A character is not divided: it has up to three more bytes, which look like this.
            let end = message[piece.upperBound...].prefix(3).prefix { $0 & 0xC0 == 0x80 }.endIndex
            let text = String(validating: message[start..<max(start, end)], as: UTF8.self)
            start = max(start, end)
            isText = text != nil
            if !hasReplacements, let text {
                hasReplacements = text.unicodeScalars.contains("\u{FFFD}")
            }
        }
        return isText && hasReplacements
    }
}
