import CryptorPrimitives

/// How a message is to be read.
struct ReadingTerms: Sendable {
    let credential: Credential
    let accepting: Acceptance
    /// What a reader expects of the header under these terms.
    var expectation: HeaderExpectation {
        HeaderExpectation(accepting: accepting.accepted, version0UsesPassword: credential.isPassword)
    }

    /// The header of a whole message of sound shape.
    func header(ofWhole message: some Collection<UInt8>) throws(CryptorError) -> Header {
        try withRawSpan(of: message.prefix(HeaderReader.base64ProbeByteCount)) { (start) throws(CryptorError) in
            try header(of: start, messageByteCount: message.count)
        }
    }

    /// - Parameter start: of the message, at least the header if it has one.
    func header(of start: RawSpan, messageByteCount: Int) throws(CryptorError) -> Header {
        let header = try HeaderReader.header(of: start, expectation)
        try check(header, messageByteCount: messageByteCount)
        return header
    }

    /// Checks a header before anything is derived from it.
    /// - Parameter messageByteCount: the length of the whole message, if it is known: its shape is then checked as well.
    func check(_ header: Header, messageByteCount: Int? = nil) throws(CryptorError) {
        _ = try credential.keySource(for: header)
        if let messageByteCount { try header.checkMessageByteCount(messageByteCount) }
    }
}

// MARK: Readings of a password

extension ReadingTerms {
    /// What the keys of the message come from; nil if only its HMAC tells which reading of the password was meant.
    func keySource(for header: Header) throws(CryptorError) -> KeySource? {
        hasSeveralCandidates(in: header.version) ? nil : try credential.keySource(for: header)
    }

    /// What the keys of a message with this header may come from: the credential that is given and after it, where they are
    /// accepted, the shortened readings of its password, without repetition.
    func candidates(for header: Header) throws(CryptorError) -> [KeySource] {
        let source = try credential.keySource(for: header)
        guard hasSeveralCandidates(in: header.version), case .password(let password, let salts) = source else {
            return [source]
        }
        return password.withRawSpan { bytes in
            Self.candidateByteCounts(of: bytes).map { count in
                .password(SecretBytes(copying: bytes.extracting(first: count)), salts)
            }
        }
    }

    /// Whether only the HMAC at the end of such a message tells which reading of the password was meant.
    func hasSeveralCandidates(in version: FormatVersion) -> Bool {
        accepting.shortenedPasswords && hasShortenedReadings(in: version)
    }

    /// The error for a message of this version whose HMAC does not match under any candidate. It depends on the version
    /// and the password alone: whether a shortened reading would match has not been looked at, and is not told.
    func authenticationFailure(for version: FormatVersion) -> CryptorError {
        !accepting.shortenedPasswords && hasShortenedReadings(in: version)
            ? .authenticationFailedUnderAllBytes : .authenticationFailed
    }

    /// Whether some writers of this version would have shortened this password.
    private func hasShortenedReadings(in version: FormatVersion) -> Bool {
        guard case .password(let password) = credential.kind, version.rules.passwordsWereTruncated else { return false }
        return password.withRawSpan { bytes in Self.candidateByteCounts(of: bytes).count > 1 }
    }

    /// How many bytes each kind of writer took. Depends on where characters begin, not on which they are.
    static func candidateByteCounts(of utf8: RawSpan) -> [Int] {
        var codePoints = 0
        var codeUnits = 0
        for offset in utf8.byteOffsets {
            let byte = utf8.byte(at: offset)
            // All but the bytes 10xxxxxx begin a character, and 11110xxx begins one of two UTF-16 code units.
            let beginsCharacter = byte & 0xC0 != 0x80
            codePoints += beginsCharacter ? 1 : 0
            codeUnits += beginsCharacter ? (byte >= 0xF0 ? 2 : 1) : 0
        }
        var counts: [Int] = []
        // Bytes that are no UTF-8 may begin no character at all, or more code units than they are.
        for count in [utf8.byteCount, codeUnits, codePoints]
        where 1...max(1, utf8.byteCount) ~= count && !counts.contains(count) {
            counts.append(count)
        }
        return counts
    }
}
