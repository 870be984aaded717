import CryptorFiles
import CryptorPrimitives

/// Looks for the mistake in messages. What a wrong password and an altered message have in common is never taken for a
/// cause: the HMAC decides, or bytes that say it themselves.
struct Examination {
    private let credentials: [Credential]
    private let suspects: [Suspect]
    private let iterationSuspects: [Suspect]
    /// For each credential, the keys of the message that is looked at: repairs of it are tried under the same ones.
    private var known: [Int: [Header.Salts?: KeyPair]] = [:]

    /// - Parameter credentials: what was given.
    init(_ credentials: [Credential], iterationsUpTo limit: Int) {
        self.credentials = credentials
        suspects = credentials.flatMap(\.suspects)
        iterationSuspects = credentials.flatMap { $0.suspects(iterationsUpTo: limit) }
    }

    mutating func diagnosis(of input: [UInt8]) throws(CryptorError) -> Diagnosis {
        known = [:]
        guard let first = input.first else {
            return Diagnosis(cause: .truncated, advice: "It is empty: it was never written, or lost. Fetch it again.")
        }
        guard input.contains(where: { $0 != 0 }) else {
            return Diagnosis(cause: .onlyZeros, advice: "Its contents were lost, or never written. Fetch it again.")
        }
        if FormatVersion(rawValue: first) != nil { return try diagnosis(ofMessage: input) }
        if let text = MessageText(input) { return try diagnosis(of: text) }
        guard let foreign = ForeignStart.of(input) else {
            return Diagnosis(advice: "It starts as no message: it is something else, or was altered.")
        }
        return foreign.isCertain
            ? Diagnosis(cause: .foreign, advice: foreign.sentence)
            : Diagnosis(advice: foreign.sentence, possible: [.foreign])
    }

    /// The text is the cause only if what is in it opens, perhaps with one more mistake.
    private mutating func diagnosis(of text: MessageText) throws(CryptorError) -> Diagnosis {
        guard let first = text.message.first, FormatVersion(rawValue: first) != nil else {
            return Diagnosis(advice: "Part of the text was lost or altered.", possible: [text.cause, .truncated])
        }
        var found = try diagnosis(ofMessage: text.message)
        guard found.isVerified else {
            found.possible.insert(text.cause, at: 0)
            return found
        }
        found.advice = found.opens ? text.advice : "\(text.advice) \(found.advice)"
        (found.cause, found.opens) = (text.cause, false)
        return found
    }

    private mutating func diagnosis(ofMessage message: [UInt8]) throws(CryptorError) -> Diagnosis {
        if let (header, keys) = try opened(message) { return try diagnosis(ofAuthentic: message, header, keys) }
        for group in [suspects, iterationSuspects] {
            guard let suspect = try first(of: group, opening: message) else { continue }
            return Diagnosis(
                cause: suspect.cause, advice: suspect.advice + Self.versionNote(message[0]), isVerified: true)
        }
        let repairs = Repairs(of: message)
        for repaired in repairs.all where try opened(repaired.message) != nil {
            return Diagnosis(cause: repaired.cause, advice: repaired.advice, isVerified: true)
        }
        return try diagnosis(ofUnopened: message, repairs)
    }

    // MARK: Under a credential

    /// The header and the keys of the message, if its HMAC matches under what was given.
    private mutating func opened(_ message: [UInt8]) throws(CryptorError) -> (Header, KeyPair)? {
        for (index, credential) in credentials.enumerated() {
            guard let (header, source) = Self.reading(of: message, credential) else { continue }
            let keys = if let keys = known[index]?[header.salts] { keys } else { try source.keys() }
            known[index, default: [:]][header.salts] = keys
            if try Self.isAuthentic(message, header, under: keys) { return (header, keys) }
        }
        return nil
    }

    /// All keys are derived together, which takes a fraction of the time.
    private func first(of suspects: [Suspect], opening message: [UInt8]) throws(CryptorError) -> Suspect? {
        let tried = suspects.compactMap { suspect in
            Self.reading(of: message, suspect.credential).map { (suspect, header: $0.header, source: $0.source) }
        }
        for ((suspect, header, _), keys) in zip(tried, try KeyDerivation.keys(for: tried.map(\.source))) {
            if try Self.isAuthentic(message, header, under: keys) { return suspect }
        }
        return nil
    }

    /// Nil if the message has not the shape for this credential.
    private static func reading(of message: [UInt8], _ credential: Credential) -> (header: Header, source: KeySource)? {
        let terms = ReadingTerms(credential: credential, accepting: .all)
        guard let header = try? terms.header(ofWhole: message), let source = try? terms.keySource(for: header) else {
            return nil
        }
        return (header, source)
    }

    private static func isAuthentic(
        _ message: [UInt8], _ header: Header, under keys: KeyPair
    ) throws(CryptorError) -> Bool {
        try header.isAuthentic(message.rawSpan(header.byteCount..<message.count), under: keys)
    }

    // MARK: An authentic message

    private func diagnosis(
        ofAuthentic message: [UInt8], _ header: Header, _ keys: KeyPair
    ) throws(CryptorError) -> Diagnosis {
        if header.version.cipher == .cbc, let fault = try Self.paddingFault(message, keys.encryptionKey) {
            return fault
        }
        guard header.version.authenticatesHeader else {
            return Diagnosis(
                cause: .versionNotAccepted, advice: "The HMAC matches." + Self.versionNote(message[0]), isVerified: true
            )
        }
        return Diagnosis(advice: "It opens as it is.", opens: true, isVerified: true)
    }

    /// What to do about an old version.
    private static func versionNote(_ version: UInt8) -> String {
        version > 1
            ? ""
            : " It is of version \(version), which is read with --accept v\(version); 'rncryptor rekey' converts it."
    }

    /// What is wrong with the padding of an authentic message; nil if nothing is.
    private static func paddingFault(_ message: [UInt8], _ key: SecretBytes) throws(CryptorError) -> Diagnosis? {
        // The block before the last one, or the IV, is what CBC adds to it.
        let blocks = Array(message.dropLast(FormatSize.tag).suffix(2 * FormatSize.block))
        let (iv, last) = (Array(blocks.prefix(FormatSize.block)), Array(blocks.suffix(FormatSize.block)))
        let whole = try openSSL { () throws(OpenSSLError) in try AESCipher(.decrypt, key: key, iv: iv) }
        guard try padding(ofLastBlock: last, whole) == nil else { return nil }
        let half = try openSSL { () throws(OpenSSLError) in try AESCipher(decryptingWithHalfOf: key, iv: iv) }
        let isTelling = try padding(ofLastBlock: last, half)
        let advice = "The HMAC matches, but the padding is wrong. "
        guard isTelling == true else {
            return Diagnosis(
                advice: advice + "The program that wrote the message is faulty.",
                possible: isTelling == nil ? [] : [.aes128])
        }
        return Diagnosis(
            cause: .aes128,
            advice: advice
                + "It is right under AES-128, with the first 16 bytes of the encryption key: read the message "
                + "with the program that wrote it, and write it anew.", isVerified: true)
    }

    /// - Returns: nil if the padding is wrong; else whether that can be no chance. One byte of it is right by chance once
    ///   in 256 times: it tells something after text only.
    private static func padding(
        ofLastBlock block: [UInt8], _ cipher: consuming AESCipher
    ) throws(CryptorError) -> Bool? {
        var cipher = MessageCipher.cbc(cipher)
        var plaintext: [UInt8] = []
        defer { cleanse(&plaintext) }
        try cipher.update(block, replacing: &plaintext)
        let count = PKCS7Padding.plaintextByteCount(ofLastBlock: plaintext.rawSpan(0..<block.count))
        guard let count else { return nil }
        let isText = plaintext.prefix(count).allSatisfy { 0x20...0x7E ~= $0 || "\t\r\n".utf8.contains($0) }
        return count < 15 || isText
    }

    // MARK: A message that does not open

    private mutating func diagnosis(
        ofUnopened message: [UInt8], _ repairs: Repairs
    ) throws(CryptorError) -> Diagnosis {
        var found = Diagnosis(
            advice: "Wrong password or keys, or the message was altered.", possible: repairs.possible)
        let version = message[0]
        guard message.count > 1, message[1] <= 1 else {
            found.possible.append(.truncated)
            return found
        }
        if let text = String(validating: message, as: UTF8.self), text.unicodeScalars.contains("\u{FFFD}") {
            return Diagnosis(
                cause: .utf8Damaged,
                advice:
                    "It was read as UTF-8 text, which replaced what is no such text, and cannot be undone. Fetch it again "
                    + "as bytes, or send it in base64 text.")
        }
        let isSound = Repairs.isSound(message)
        guard isSound || version == 0 || !found.possible.isEmpty else {
            return Diagnosis(
                cause: .truncated,
                advice:
                    "No message of version \(version) has \(message.count) bytes: some are missing, or were added. Fetch "
                    + "it again, as bytes.", possible: found.possible)
        }
        found.possible.append(.truncated)
        guard isSound, version > 0 else { return found }
        // Whoever altered this bit has made the one kind of message look like the other.
        var other = message
        other[1] ^= 1
        let needsPassword = message[1] == 1
        if !credentials.contains(where: { $0.writesUnderPassword == needsPassword }), try opened(other) == nil {
            found.cause = needsPassword ? .needsPassword : .needsKeys
            found.advice =
                needsPassword
                ? "It was encrypted with a password, and keys were given: give the password."
                : "It was encrypted with keys, and a password was given: give the keys with --key-file."
            found.possible = []
        } else if needsPassword {
            found.possible.append(.iterations)
        }
        return found
    }
}
