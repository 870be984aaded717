import CryptorFiles

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
        if FormatVersion.isKnown(first) {
            let repairs = try Repairs(of: copy input)
            if let found = try verified(input, repairs) { return found }
            return try unverified(input, repairs)
        }
        let foreign = ForeignStart.of(input)
        if let text = try MessageText(consume input) { return try diagnosis(of: text) }
        if let foreign { return Diagnosis(.foreign, foreign) }
        return Diagnosis(nil, "It starts as no message: it is something else, or was altered.")
    }

    /// The text is the cause only if what is in it is authentic, perhaps with one more mistake.
    private func diagnosis(of text: MessageText) throws(CryptorError) -> Diagnosis {
        guard let first = text.message.first, FormatVersion.isKnown(first) else {
            return Diagnosis(
                nil, "Part of the text was lost or altered.", possible: [text.cause, .truncated])
        }
        let repairs = try Repairs(of: text.message)
        if let found = try verified(text.message, repairs) {
            let advice = found.opens ? text.advice : "\(text.advice) \(found.advice)"
            return Diagnosis(text.cause, advice)
        }
        var found = try unverified(text.message, repairs)
        found.possible.insert(text.cause, at: 0)
        return found
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
        var trials = credentials.map { Trial($0) }
        if let found = try verifiedAsItIs(message, &trials) { return found }
        if let found = try verifiedUnderSuspects(message) { return found }
        return try verifiedAfter(repairs, of: message, &trials)
    }

    /// The message, under a credential that was given.
    private func verifiedAsItIs(
        _ message: [UInt8], _ trials: inout [Trial]
    ) throws(CryptorError) -> Diagnosis? {
        for index in trials.indices {
            let credential = trials[index].credential
            switch try trials[index].obstacle(to: message[...]) {
            case nil: return opening(message, under: credential)
            case .corruptPadding?: return try paddingFault(message, credential)
            default: continue
            }
        }
        return nil
    }

    /// The diagnosis of a message that opens.
    private func opening(_ message: [UInt8], under credential: Credential) -> Diagnosis {
        if let note = noteOnVersion(message[0]) {
            return Diagnosis(.versionNotAccepted, "The HMAC matches. \(note)")
        }
        var advice = "It opens as it is."
        if credential.writesUnderPassword {
            advice += " The newline at the end of a password file is not part of the password."
        }
        return Diagnosis(nil, advice, opens: true)
    }

    /// What is to be known of a version that is not read without an option.
    private func noteOnVersion(_ version: UInt8) -> String? {
        if FormatVersion(rawValue: version)?.isReadByDefault == true { return nil }
        return """
            It is of version \(version), which is read with --accept v\(version); 'rncryptor \
            rekey' converts it.
            """
    }

    /// The message, under what a mistake may have made of a credential.
    private func verifiedUnderSuspects(_ message: [UInt8]) throws(CryptorError) -> Diagnosis? {
        for suspect in suspects {
            var trial = Trial(suspect.credential)
            guard try trial.isAuthentic(message[...]) else { continue }
            let advice = [suspect.advice, noteOnVersion(message[0])].compactMap(\.self)
            return Diagnosis(suspect.cause, advice.joined(separator: " "))
        }
        return nil
    }

    /// What the message may have been before it was damaged, under a credential that was given.
    private func verifiedAfter(
        _ repairs: Repairs, of message: [UInt8], _ trials: inout [Trial]
    ) throws(CryptorError) -> Diagnosis? {
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
    private func paddingFault(
        _ message: [UInt8], _ credential: Credential
    ) throws(CryptorError) -> Diagnosis {
        let advice = "The HMAC matches, but the padding is wrong."
        var trial = Trial(credential)
        guard try trial.isPaddedUnderAES128(message) else {
            return Diagnosis(nil, "\(advice) The program that wrote the message is faulty.")
        }
        return Diagnosis(
            .aes128,
            """
            \(advice) It is right under AES-128, with the first 16 bytes of the encryption key: \
            read the message with the program that wrote it, and write it anew.
            """)
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
                """
                It was read as UTF-8 text, which replaced what is no such text, and cannot be \
                undone. Fetch it again as bytes, or send it in base64 text.
                """)
        }
        let isSound = Repairs.isSound(message[...], byteCount: message.count)
        guard isSound || version == 0 || !found.possible.isEmpty else {
            return Diagnosis(
                .truncated,
                """
                No message of version \(version) has \(message.count) bytes: some are missing, or \
                were added. Fetch it again, as bytes.
                """)
        }
        found.possible.append(.truncated)
        guard isSound, version > 0 else { return found }
        if try isAuthenticAsOtherKind(message) { return found }

        let isPasswordMessage = message[1] == 1
        guard credentials.contains(where: { $0.writesUnderPassword == isPasswordMessage }) else {
            return Self.otherCredential(isPasswordMessage: isPasswordMessage)
        }
        if isPasswordMessage { found.possible.append(.iterations) }
        return found
    }

    /// Whoever altered the bit for the kind of credential has made the one kind of message look
    /// like the other.
    private func isAuthenticAsOtherKind(_ message: [UInt8]) throws(CryptorError) -> Bool {
        var start = message.prefix(FormatSize.passwordHeader)
        start[1] ^= 1
        for credential in credentials {
            var trial = Trial(credential)
            if try trial.isAuthentic(message[...], start: start) { return true }
        }
        return false
    }

    private static func otherCredential(isPasswordMessage: Bool) -> Diagnosis {
        guard isPasswordMessage else {
            return Diagnosis(
                .needsKeys,
                """
                It was encrypted with keys, and a password was given: give the keys with \
                --key-file.
                """)
        }
        return Diagnosis(
            .needsPassword,
            "It was encrypted with a password, and keys were given: give the password.")
    }

    /// Whether the message is UTF-8 text with the character that stands for what was none.
    private func isTextWithReplacements(_ message: [UInt8]) throws(CryptorError) -> Bool {
        var hasReplacements = false
        var isText = true
        var start = 0
        try Interruption.pieces(of: message.indices) { piece in
            guard isText else { return }
            // A character is not divided: it has up to three more bytes, which look like this.
            let rest = message[piece.upperBound...].prefix(3)
            let end = max(start, rest.prefix { $0 & 0xC0 == 0x80 }.endIndex)
            let text = String(validating: message[start..<end], as: UTF8.self)
            start = end
            isText = text != nil
            if let text, text.unicodeScalars.contains("\u{FFFD}") { hasReplacements = true }
        }
        return isText && hasReplacements
    }
}
