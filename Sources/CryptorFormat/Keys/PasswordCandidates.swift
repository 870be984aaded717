import CryptorPrimitives

extension Credential {
    /// The same password for reading old messages, **also in the shortened readings under which anybody who guesses its
    /// first few bytes can forge a message**.
    ///
    /// Some writers of versions 2, 1 and 0 used only the first n bytes of a password's UTF-8, where n is its number of
    /// characters: UTF-16 code units for those in Objective-C, code points for those in PHP and Ruby. Their messages do not
    /// verify under all of the bytes. With this credential they do: all bytes are tried first, then each shortened
    /// reading, and the first whose HMAC matches counts.
    ///
    /// What that costs: of a password of one emoji such as 🔑 the byte `F0` alone is such a reading, of 密碼 two bytes out of six,
    /// of Cyrillic or Greek letters half of the bytes. Whoever guesses those writes messages of version 2 that verify,
    /// even for people who never wrote that version. So read with this only messages that come from where nobody else can
    /// write, such as an archive of one's own, and make version 3 of them with `Cryptor.rekeyFile`.
    ///
    /// Only the reading of versions 2, 1 and 0 is affected, and only under a password that is not ASCII: for ASCII all
    /// readings are the same. ``Decryptor`` and what is built on it hold such messages back to their end, up to a limit.
    /// Messages are written under all bytes, in version 3, with this credential as with the original. Keys are returned as
    /// they are.
    public func acceptingShortenedPasswords() -> Credential {
        guard isPassword else { return self }
        var credential = self
        credential.acceptsShortenedPassword = true
        return credential
    }

    /// The credentials that may have been used for a message with this header: this one, and after it, where they are
    /// accepted, the shortened readings of its password, without repetition.
    func candidates(for header: Header) -> [Credential] {
        guard hasSeveralCandidates(for: header.version), case .password(let password) = kind else { return [self] }
        let counts = password.withRawSpan { bytes in Self.candidateByteCounts(of: bytes) }
        return counts.map { count in
            guard count < password.count else { return self }
            return password.withRawSpan { bytes in
                Credential(kind: .password(SecretBytes(copying: bytes.extracting(first: count))))
            }
        }
    }

    /// Whether only the HMAC at the end of a message tells which reading of the password was meant.
    func hasSeveralCandidates(for version: FormatVersion) -> Bool {
        acceptsShortenedPassword && hasShortenedReadings(in: version)
    }

    /// The error for a message of this version whose HMAC does not match under any candidate. It depends on the version
    /// and the password alone: whether a shortened reading would match has not been looked at, and is not told.
    func authenticationFailure(for version: FormatVersion) -> CryptorError {
        !acceptsShortenedPassword && hasShortenedReadings(in: version)
            ? .authenticationFailedUnderAllBytes : .authenticationFailed
    }

    /// Whether some writers of this version would have shortened this password.
    private func hasShortenedReadings(in version: FormatVersion) -> Bool {
        guard case .password(let password) = kind, version.rules.passwordsWereTruncated else { return false }
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
        // Bytes that are no UTF-8 may begin no character at all.
        for count in [utf8.byteCount, codeUnits, codePoints] where count > 0 && !counts.contains(count) {
            counts.append(count)
        }
        return counts
    }
}
