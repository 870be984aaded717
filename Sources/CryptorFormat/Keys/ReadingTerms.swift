import CryptorPrimitives

/// How a message is read: with which credential, and what is accepted.
package struct ReadingTerms: Sendable {
    let credential: Credential
    package let accepting: Acceptance

    package init(credential: Credential, accepting: Acceptance) {
        self.credential = credential
        self.accepting = accepting
    }

    /// What a reader expects of the header under these terms.
    var expectation: HeaderExpectation {
        HeaderExpectation(accepting: accepting.accepted, version0UsesPassword: credential.isPassword)
    }

    /// The header of a complete message, whose length is checked as well.
    package func header(ofWhole message: some Collection<UInt8>) throws(CryptorError) -> Header {
        try withRawSpan(of: message.prefix(HeaderReader.base64ProbeByteCount)) { (start) throws(CryptorError) in
            try header(of: start, messageByteCount: message.count)
        }
    }

    /// - Parameters:
    ///   - start: the start of the message, which includes the header if there is one.
    ///   - messageByteCount: the length of the complete message, if it is known.
    package func header(of start: RawSpan, messageByteCount: Int?) throws(CryptorError) -> Header {
        let header = try HeaderReader.header(of: start, expectation)
        try check(header, messageByteCount: messageByteCount)
        return header
    }

    /// Checks a header before anything is derived from it.
    /// - Parameter messageByteCount: the length of the complete message, if it is known. It is then checked as well.
    func check(_ header: Header, messageByteCount: Int? = nil) throws(CryptorError) {
        _ = try credential.keySource(for: header)
        if let messageByteCount { try header.checkMessageByteCount(messageByteCount) }
    }
}

// MARK: Candidates

extension ReadingTerms {
    /// The credentials that may open a message of this version, in the order in which they are tried: the credential as
    /// it was given, then the shortened readings of its password, if they are accepted.
    private func candidates(in version: FormatVersion) -> [Credential] {
        guard accepting.shortenedPasswords, version.rules.passwordsWereTruncated else { return [credential] }
        return [credential] + credential.shortenedReadings
    }

    /// What the keys of a message with this header may come from, in the order in which the candidates are tried.
    func candidates(for header: Header) throws(CryptorError) -> [KeySource] {
        var sources: [KeySource] = []
        for candidate in candidates(in: header.version) { sources.append(try candidate.keySource(for: header)) }
        return sources
    }

    /// Whether only the HMAC at the end of such a message tells which credential opens it.
    package func hasSeveralCandidates(in version: FormatVersion) -> Bool { candidates(in: version).count > 1 }

    /// What the keys of the message come from; nil if there are several candidates.
    package func keySource(for header: Header) throws(CryptorError) -> KeySource? {
        let sources = try candidates(for: header)
        return sources.count == 1 ? sources[0] : nil
    }

    /// The error for a message of this version whose HMAC does not match under any candidate. It depends on the
    /// version, the password and the acceptance alone. A reading that is not accepted is not tried, so the error cannot
    /// tell whether it would match.
    func authenticationFailure(for version: FormatVersion) -> CryptorError {
        guard version.rules.passwordsWereTruncated, !accepting.shortenedPasswords,
            !credential.shortenedReadings.isEmpty
        else { return .authenticationFailed }
        var error = CryptorError(
            .authenticationFailed,
            CryptorError.authenticationFailed.sentence
                + " Some writers of version 2 and older used only the beginning of a password that is not ASCII, as "
                + "this one is. Whoever reads their messages also reads ones that anybody can forge: do so if you "
                + "trust where the message comes from, and encrypt it anew.",
            advice: "'Acceptance.shortenedPasswords' reads them.")
        error.mayNeedShortenedPassword = true
        return error
    }
}

extension Credential {
    /// What some writers of version 2 and older used instead of a password that is not ASCII: its first n bytes, where
    /// n is its number of UTF-16 code units or of code points. None for ASCII, and for keys.
    var shortenedReadings: [Credential] {
        guard case .password(let password) = kind else { return [] }
        return password.withRawSpan { bytes in
            Self.shortenedByteCounts(of: bytes).map { count in
                Credential(kind: .password(SecretBytes(copying: bytes.extracting(first: count))))
            }
        }
    }

    /// The result depends on where characters begin, not on which characters they are.
    static func shortenedByteCounts(of utf8: RawSpan) -> [Int] {
        var codePoints = 0
        var codeUnits = 0
        for offset in utf8.byteOffsets {
            let byte = utf8.byte(at: offset)
            // All but the bytes 10xxxxxx begin a character, and 11110xxx begins one of two UTF-16 code units.
            let beginsCharacter = byte & 0xC0 != 0x80
            codePoints += beginsCharacter ? 1 : 0
            codeUnits += beginsCharacter ? (byte >= 0xF0 ? 2 : 1) : 0
        }
        // Bytes that are not UTF-8 may begin no character at all, or count as more code units than there are bytes.
        let counts = codeUnits == codePoints ? [codeUnits] : [codeUnits, codePoints]
        return counts.filter { $0 > 0 && $0 < utf8.byteCount }
    }
}
