import CryptorPrimitives

/// How a message is read: with which credential, and what is accepted.
struct ReadingTerms: Sendable {
    let credential: Credential
    let accepting: Acceptance
    /// What a reader expects of the header under these terms.
    var expectation: HeaderExpectation {
        HeaderExpectation(accepting: accepting.accepted, version0UsesPassword: credential.isPassword)
    }

    /// The header of a complete message, whose length is checked as well.
    func header(ofWhole message: some Collection<UInt8>) throws(CryptorError) -> Header {
        try withRawSpan(of: message.prefix(HeaderReader.base64ProbeByteCount)) { (start) throws(CryptorError) in
            try header(of: start, messageByteCount: message.count)
        }
    }

    /// - Parameters:
    ///   - start: the start of the message, which includes the header if there is one.
    ///   - messageByteCount: the length of the complete message, if it is known.
    func header(of start: RawSpan, messageByteCount: Int?) throws(CryptorError) -> Header {
        let header = try HeaderReader.header(of: start, expectation)
        try check(header, messageByteCount: messageByteCount)
        return header
    }

    /// Checks a header before anything is derived from it.
    /// - Parameter messageByteCount: the length of the complete message, if it is known. It is then checked as well.
    func check(_ header: Header, messageByteCount: Int? = nil) throws(CryptorError) {
        try credential.check(for: header)
        if let messageByteCount { try header.checkMessageByteCount(messageByteCount) }
    }
}

// MARK: Readings of a password

extension ReadingTerms {
    /// What the keys of the message come from; nil if only its HMAC tells which reading of the password was meant.
    func keySource(for header: Header) throws(CryptorError) -> KeySource? {
        hasSeveralCandidates(in: header.version) ? nil : try credential.keySource(for: header)
    }

    /// What the keys of a message with this header may come from: first the credential as it was given, then the
    /// shortened readings of its password, if they are accepted. No reading is listed twice.
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

    /// The error for a message of this version whose HMAC does not match under any candidate. It depends on the
    /// version, the password and the acceptance alone. A reading that is not accepted is not tried, so the error cannot
    /// tell whether it would match.
    func authenticationFailure(for version: FormatVersion) -> CryptorError {
        !accepting.shortenedPasswords && hasShortenedReadings(in: version)
            ? .authenticationFailedUnderAllBytes : .authenticationFailed
    }

    /// Whether some writers of this version would have shortened this password.
    private func hasShortenedReadings(in version: FormatVersion) -> Bool {
        guard case .password(let password) = credential.kind, version.rules.passwordsWereTruncated else { return false }
        return password.withRawSpan { bytes in Self.candidateByteCounts(of: bytes).count > 1 }
    }

    /// How many bytes each kind of writer used, each number once. The result depends on where characters begin, not on
    /// which characters they are.
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
        // Bytes that are not UTF-8 may begin no character at all, or count as more code units than there are bytes.
        for count in [utf8.byteCount, codeUnits, codePoints]
        where 1...max(1, utf8.byteCount) ~= count && !counts.contains(count) {
            counts.append(count)
        }
        return counts
    }
}
