import CryptorFiles
import CryptorPrimitives

/// Looks for the mistake in messages. What a wrong password and an altered message have in common is never taken for a
/// cause: the HMAC decides, or bytes that say it themselves.
struct Examination {
    private let credentials: [Credential]
    private let suspects: [Suspect]

    init(_ credentials: [Credential], iterationsUpTo limit: Int) {
        self.credentials = credentials
        suspects = credentials.flatMap { $0.suspects(iterationsUpTo: limit) }
    }

    func diagnosis(of input: [UInt8]) throws(CryptorError) -> Diagnosis {
        guard let first = input.first else {
            return Diagnosis(.truncated, "It is empty: it was never written, or lost. Fetch it again.")
        }
        guard input.contains(where: { $0 != 0 }) else {
            return Diagnosis(.onlyZeros, "Its contents were lost, or never written. Fetch it again.")
        }
        if FormatVersion(rawValue: first) != nil {
            if let found = try verified(input) { return found }
            return try unverified(input)
        }
        guard let text = MessageText(input) else {
            if let foreign = ForeignStart.of(input) { return Diagnosis(.foreign, foreign) }
            return Diagnosis(nil, "It starts as no message: it is something else, or was altered.")
        }
        guard let first = text.message.first, FormatVersion(rawValue: first) != nil else {
            return Diagnosis(nil, "Part of the text was lost or altered.", possible: [text.cause, .truncated])
        }
        // The text is the cause only if what is in it is authentic, perhaps with one more mistake.
        if let found = try verified(text.message) {
            return Diagnosis(text.cause, found.opens ? text.advice : "\(text.advice) \(found.advice)")
        }
        var found = try unverified(text.message)
        found.possible.insert(text.cause, at: 0)
        return found
    }

    // MARK: A message whose HMAC matches

    /// Nil if the HMAC matches under nothing that was given or suspected.
    private func verified(_ message: [UInt8]) throws(CryptorError) -> Diagnosis? {
        let version = message[0]
        let old =
            " It is of version \(version), which is read with --accept v\(version); 'rncryptor rekey' converts it."
        let note = version > 1 ? "" : old
        for credential in credentials {
            let obstacle = try obstacle(message, credential)
            if obstacle == .corruptPadding { return try paddingFault(message, credential) }
            guard obstacle == nil else { continue }
            guard version > 1 else { return Diagnosis(.versionNotAccepted, "The HMAC matches." + note) }
            let newline = " The newline at the end of a password file is not part of the password."
            return Diagnosis(nil, "It opens as it is." + (credential.writesUnderPassword ? newline : ""), opens: true)
        }
        for suspect in suspects where try isAuthentic(message, under: suspect.credential) {
            return Diagnosis(suspect.cause, suspect.advice + note)
        }
        let repairs = Repairs(of: message).all
        for credential in credentials {
            let terms = ReadingTerms(credential: credential, accepting: .all)
            // Most repairs leave the header as it is.
            var known: [Header: KeyPair] = [:]
            for repaired in repairs {
                if Interruption.signal != 0 { throw .cancelled }
                guard let header = try? terms.header(ofWhole: repaired.message),
                    let source = try terms.keySource(for: header)
                else { continue }
                let keys = if let keys = known[header] { keys } else { try source.keys() }
                known[header] = keys
                let body = repaired.message.rawSpan(header.byteCount..<repaired.message.count)
                if try header.isAuthentic(body, under: keys) { return Diagnosis(repaired.cause, repaired.advice) }
            }
        }
        return nil
    }

    /// Why a message does not open; nil if it does.
    private func obstacle(_ message: [UInt8], _ credential: Credential) throws(CryptorError) -> CryptorError.Code? {
        if Interruption.signal != 0 { throw .cancelled }
        do throws(CryptorError) { _ = try Cryptor.open(message, with: credential, accepting: .all) } catch {
            if error.code == .cryptoLibraryFailure { throw error }
            return error.code
        }
        return nil
    }

    private func isAuthentic(_ message: [UInt8], under credential: Credential) throws(CryptorError) -> Bool {
        [nil, .corruptPadding].contains(try obstacle(message, credential))
    }

    /// What is wrong with the padding of an authentic message.
    private func paddingFault(_ message: [UInt8], _ credential: Credential) throws(CryptorError) -> Diagnosis {
        let advice = "The HMAC matches, but the padding is wrong."
        let faulty = Diagnosis(nil, "\(advice) The program that wrote the message is faulty.")
        let terms = ReadingTerms(credential: credential, accepting: .all)
        guard let keys = try terms.keySource(for: try terms.header(ofWhole: message))?.keys() else { return faulty }
        // The block before the last one, or the IV, is what CBC adds to it.
        let blocks = message.dropLast(FormatSize.tag).suffix(2 * FormatSize.block)
        let (iv, last) = (Array(blocks.prefix(FormatSize.block)), Array(blocks.suffix(FormatSize.block)))
        var cipher = MessageCipher.cbc(
            try openSSL { () throws(OpenSSLError) in try AESCipher(decryptingWithHalfOf: keys.encryptionKey, iv: iv) })
        var plaintext: [UInt8] = []
        try cipher.update(last, replacing: &plaintext)
        // One byte of padding is right by chance once in 256 times: it tells something after text only.
        guard let count = PKCS7Padding.plaintextByteCount(ofLastBlock: plaintext.rawSpan(0..<last.count)),
            count < 15 || TerminalText.isHarmless(Array(plaintext.prefix(count)))
        else { return faulty }
        return Diagnosis(
            .aes128,
            "\(advice) It is right under AES-128, with the first 16 bytes of the encryption key: read the message with the "
                + "program that wrote it, and write it anew.")
    }

    // MARK: Any other message

    private func unverified(_ message: [UInt8]) throws(CryptorError) -> Diagnosis {
        let repairs = Repairs(of: message)
        var found = Diagnosis(nil, "Wrong password or keys, or the message was altered.", possible: repairs.possible)
        let version = message[0]
        guard message.count > 1, message[1] <= 1 else {
            found.possible.append(.truncated)
            return found
        }
        if let text = String(validating: message, as: UTF8.self), text.unicodeScalars.contains("\u{FFFD}") {
            return Diagnosis(
                .utf8Damaged,
                "It was read as UTF-8 text, which replaced what is no such text, and cannot be undone. Fetch it again "
                    + "as bytes, or send it in base64 text.")
        }
        let isSound = Repairs.isSound(message)
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
        var other = message
        other[1] ^= 1
        for credential in credentials where try isAuthentic(other, under: credential) { return found }
        if credentials.contains(where: { $0.writesUnderPassword == needsPassword }) {
            return needsPassword ? Diagnosis(nil, found.advice, possible: found.possible + [.iterations]) : found
        }
        return needsPassword
            ? Diagnosis(.needsPassword, "It was encrypted with a password, and keys were given: give the password.")
            : Diagnosis(
                .needsKeys, "It was encrypted with keys, and a password was given: give the keys with --key-file.")
    }
}
