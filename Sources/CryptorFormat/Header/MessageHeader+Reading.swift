import CryptorPrimitives

// Reads the header at the start of a message.
//
// The verdict on a message that comes in chunks does not depend on their sizes: if a start of the
// message is refused, each shorter start is either refused for the same reason or still undecided.
extension MessageHeader {
    /// How many bytes of a message are read before it is called base64. A shorter message is read
    /// to its end first.
    package static let base64ProbeByteCount = 1024

    /// The number of a message's last bytes that may decide the meaning of its first byte: see
    /// `end` of ``read(from:messageByteCount:end:)``.
    package static let decidingEndByteCount =
        Version0Algorithms.hmacByteCount + Version0Algorithms.fillingByteCount

    /// The header at the start of a message; nil if it is incomplete, or something else.
    /// ``refusal(of:mustDecide:)`` says what.
    @inline(__always)
    init?(startOf message: RawSpan) {
        guard message.byteCount > 1,
            let version = FormatVersion(rawValue: message.byte(at: 0))
        else { return nil }
        let options = message.byte(at: 1)
        let usesPassword = options == MessageHeader.passwordOption
        guard usesPassword || options == 0,
            message.byteCount >= version.headerByteCount(usingPassword: usesPassword)
        else { return nil }
        self.init(version: version, usesPassword: usesPassword, startOf: message)
    }

    /// The header of a message.
    /// - Parameters:
    ///   - start: the message, or a start of it that includes the header.
    ///   - messageByteCount: the length of the complete message, if it is known.
    ///   - end: its last bytes, at least ``decidingEndByteCount``, if the length is known. Used
    ///     only if `start` begins with a zero.
    package static func read(
        from start: RawSpan, messageByteCount: Int?, end: RawSpan
    ) throws(CryptorError) -> MessageHeader {
        if let header = MessageHeader(startOf: start) { return header }
        guard let refusal = refusal(of: start, mustDecide: true) else {
            preconditionFailure("a whole message is decided on")
        }
        guard refusal.code == .versionNotAccepted, let messageByteCount else { throw refusal }
        throw version0Refusal(refusal, messageByteCount: messageByteCount, end: end)
    }

    /// Why `prefix` begins with no complete header; nil if more bytes are needed to tell, but never
    /// if `mustDecide`.
    static func refusal(of prefix: RawSpan, mustDecide: Bool) -> CryptorError? {
        var minimum = FormatVersion.shortestMessageByteCount
        if prefix.byteCount > 0 {
            let first = prefix.byte(at: 0)
            guard let version = FormatVersion(rawValue: first) else {
                return first == 0
                    ? version0Refusal(prefix, mustDecide: mustDecide)
                    : foreignInput(prefix, mustDecide: mustDecide)
            }
            if prefix.byteCount > 1 {
                let options = prefix.byte(at: 1)
                let usesPassword = options == MessageHeader.passwordOption
                guard usesPassword || options == 0 else {
                    return unsupportedOptions(options, known: "0 (keys) or 1 (password)")
                }
                minimum = version.messageByteCount(
                    usingPassword: usesPassword, plaintextByteCount: 0)
            }
        }
        return mustDecide
            ? .messageTooShort(byteCount: prefix.byteCount, minimum: minimum) : nil
    }

    private static func unsupportedOptions(_ options: UInt8, known: String) -> CryptorError {
        CryptorError(
            .unsupportedVersion,
            """
            The options byte is \(options), but must be \(known). The message was damaged, or \
            written by a faulty program.
            """)
    }

    // MARK: Input that starts with no version

    /// The error for input whose first byte is not a version; nil if more bytes are needed to tell.
    private static func foreignInput(_ prefix: RawSpan, mustDecide: Bool) -> CryptorError? {
        let first = prefix.byte(at: 0)
        let probe = prefix.extracting(first: base64ProbeByteCount)
        guard FormatVersion.mayBeginBase64(first),
            probe.byteOffsets.allSatisfy({ isBase64(probe.byte(at: $0)) })
        else {
            return CryptorError(
                .unsupportedVersion,
                """
                This is not an RNCryptor message of version \(FormatVersion.range): its first byte \
                is \(first). It is another kind of file, was damaged, or was written by a newer \
                program.
                """)
        }
        guard mustDecide || probe.byteCount == base64ProbeByteCount else { return nil }
        return CryptorError(
            .looksBase64Encoded,
            "This looks like base64 text. Decode it first, then decrypt the bytes.",
            advice:
                "'Cryptor.message(fromBase64:)' decodes it; for files, 'FileOptions(base64: true)'."
        )
    }

    /// Whether the start of a file is base64 text, perhaps after white space, and therefore not a
    /// binary message.
    package static func isBase64Text(_ start: [UInt8]) -> Bool {
        let text = start.drop { " \t\r\n".utf8.contains($0) }
        guard let first = text.first, FormatVersion.mayBeginBase64(first) else { return false }
        return text.allSatisfy { isBase64($0) }
    }

    /// Allows both alphabets, padding, and the white space that mail programs and editors insert.
    private static func isBase64(_ byte: UInt8) -> Bool {
        Base64Character.meaning(of: byte) != Base64Character.foreign
    }

    /// Checks whether the version is accepted.
    /// - Parameter helps: whether accepting it would help, as far as the message shows.
    package func checkVersion(
        isIn acceptance: Acceptance, helps: Bool = false
    ) throws(CryptorError) {
        if acceptance.accepts(version) { return }
        var sentence = Self.notAccepted(version.rawValue)
        if !version.authenticatesHeader { sentence += " " + Self.unauthenticated }
        // The advice repeats the accepted versions, because the caller's new list will replace the
        // old one.
        let accepted = acceptance.versions.union([version])
        let list = accepted.sorted { $0.rawValue > $1.rawValue }.map { ".\($0.codeName)" }
            .joined(separator: ", ")
        var refusal = CryptorError(
            .versionNotAccepted, sentence, advice: "'accepting: [\(list)]' accepts it as well.")
        if helps { refusal.versionToAccept = version.rawValue }
        throw refusal
    }

    private static func notAccepted(_ version: UInt8) -> String {
        "The message begins like version \(version), which is not accepted here."
    }

    private static let unauthenticated =
        """
        Anybody can alter such a header unnoticed. Read the message only if you trust where it \
        comes from, then encrypt it again.
        """

    // MARK: Version 0, which `Cryptor.decryptVersion0(_:with:)` reads, and nothing else

    /// The header of version 0 is that of version 1 with another first byte.
    static func version0HeaderByteCount(usingPassword: Bool) -> Int {
        FormatVersion.v1UnauthenticatedHeader.headerByteCount(usingPassword: usingPassword)
    }

    /// The error for input that starts with a zero byte; nil if more bytes are needed to tell.
    private static func version0Refusal(_ prefix: RawSpan, mustDecide: Bool) -> CryptorError? {
        // Zeros look like version 0 only by accident: a file system or a disk has lost the data.
        let start = prefix.extracting(first: FormatVersion.longestHeaderByteCount)
        if start.byteOffsets.allSatisfy({ start.byte(at: $0) == 0 }) {
            let isDecided = mustDecide || start.byteCount == FormatVersion.longestHeaderByteCount
            guard isDecided else { return nil }
            return CryptorError(
                .unsupportedVersion,
                """
                This is not an RNCryptor message: it begins with zero bytes only. Its contents \
                were lost or never written. Fetch it again.
                """)
        }
        let options = prefix.byte(at: 1)
        guard options == 0 else {
            return unsupportedOptions(options, known: "0 in version 0")
        }
        return CryptorError(
            .versionNotAccepted,
            "\(notAccepted(0)) \(unauthenticated)",
            advice: "'Cryptor.decryptVersion0(_:with:)' reads it.")
    }

    /// Why a whole message that starts like version 0 is refused: as such only if it may be one.
    private static func version0Refusal(
        _ notAccepted: CryptorError, messageByteCount: Int, end: RawSpan
    ) -> CryptorError {
        guard mayBeVersion0(byteCount: messageByteCount, end: end) else {
            return CryptorError(
                .unsupportedVersion,
                """
                This is not an RNCryptor message: it begins like version 0, but does not end like \
                it. It is another kind of file, or its end was lost or damaged.
                """)
        }
        var refusal = notAccepted
        refusal.versionToAccept = 0
        return refusal
    }

    /// Whether a message of version 0 may have this length and end with these bytes, at least
    /// ``decidingEndByteCount``: zeros follow its HMAC.
    static func mayBeVersion0(byteCount: Int, end: RawSpan) -> Bool {
        let filling = end.extracting(last: Version0Algorithms.fillingByteCount)
        let shortest = version0HeaderByteCount(usingPassword: false) + decidingEndByteCount
        return byteCount >= shortest
            && filling.byteOffsets.allSatisfy { filling.byte(at: $0) == 0 }
    }
}
