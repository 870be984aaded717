import CryptorPrimitives

extension Credential {
    /// The credentials that may have been used for a message with this header, likeliest first, without repetition.
    ///
    /// Some writers of version 2 and older used only the first n bytes of a password's UTF-8, where n is its number of
    /// characters: UTF-16 code units for those in Objective-C, code points for those in PHP and Ruby. Others used all
    /// bytes. For ASCII these are the same.
    func candidates(for header: Header) -> [Credential] {
        guard case .password(let password) = kind, header.version.rules.passwordsWereTruncated else { return [self] }
        let counts = password.withRawSpan { bytes in Self.candidateByteCounts(of: bytes) }
        return counts.map { count in
            guard count < password.count else { return self }
            return password.withRawSpan { bytes in
                Credential(kind: .password(SecretBytes(copying: bytes.extracting(first: count))))
            }
        }
    }

    /// Whether a message of an old version may have been written with another password than this one says.
    var hasSeveralCandidates: Bool {
        guard case .password(let password) = kind else { return false }
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
