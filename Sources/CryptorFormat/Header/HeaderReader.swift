import CryptorPrimitives

/// What a reader knows before it sees the header.
struct HeaderExpectation {
    /// The versions that the caller wants to read.
    let accepting: Acceptance
    /// Whether a message of version 0 uses a password. It does not say so itself: the caller has to know.
    var version0UsesPassword: Bool
}

/// Reads the header at the start of a message.
///
/// The verdict on a message that comes in chunks does not depend on their sizes: if a start of the message is refused,
/// each shorter start is either refused for the same reason or not decided on yet.
package enum HeaderReader {
    /// How many bytes of a message are read before it is called base64. A shorter message is read to its end first.
    package static let base64ProbeByteCount = 1024

    /// The header of a message. `bytes` is all of the message, or a start of it that includes the header.
    static func header(of bytes: RawSpan, _ expectation: HeaderExpectation) throws(CryptorError)
        -> Header
    {
        guard let header = try header(startOf: bytes, mustDecide: true, expectation) else {
            preconditionFailure("a whole message is decided on")
        }
        return header
    }

    /// The header at the start of `prefix`; nil if more bytes are needed, which is never so if `mustDecide`.
    static func header(
        startOf prefix: RawSpan, mustDecide: Bool, _ expectation: HeaderExpectation
    ) throws(CryptorError) -> Header? {
        func incomplete(minimum: Int = FormatSize.keyHeader + FormatSize.tag) throws(CryptorError)
            -> Header?
        {
            if mustDecide { throw .messageTooShort(byteCount: prefix.byteCount, minimum: minimum) }
            return nil
        }
        guard prefix.byteCount > 0 else { return try incomplete() }

        guard let version = FormatVersion(rawValue: prefix.byte(at: 0)) else {
            if let error = foreignInput(prefix, mustDecide: mustDecide) {
                throw error
            } else {
                return nil
            }
        }
        // Zeros look like version 0 only by accident: a file system or a disk has lost what was there.
        let start = prefix.extracting(first: FormatSize.passwordHeader)
        if version == .v0UnauthenticatedHeader, !expectation.accepting.contains(version),
            start.byteOffsets.allSatisfy({ start.byte(at: $0) == 0 })
        {
            guard mustDecide || prefix.byteCount >= FormatSize.passwordHeader else { return nil }
            throw CryptorError(
                .unsupportedVersion,
                "The input starts with zeros only, unlike any message: its contents were lost, or never written. "
                    + "Fetch it again.")
        }
        guard prefix.byteCount > 1 else { return try incomplete() }

        let options = prefix.byte(at: 1)
        guard options == 0 || version.optionsTellCredential && options == Header.passwordOption
        else {
            let known =
                version.optionsTellCredential ? "0 (keys) or 1 (password)" : "0 in version 0"
            throw CryptorError(
                .unsupportedVersion,
                "The options byte is \(options), but must be \(known). The message "
                    + "was damaged or written by a faulty program.")
        }
        // The options come first: to accept the version of something else would not help.
        guard expectation.accepting.contains(version) else {
            throw versionNotAccepted(version, accepting: expectation.accepting.versions)
        }
        let usesPassword =
            version.optionsTellCredential ? options != 0 : expectation.version0UsesPassword
        let byteCount = usesPassword ? FormatSize.passwordHeader : FormatSize.keyHeader
        guard prefix.byteCount >= byteCount else {
            return try incomplete(minimum: byteCount + version.tailByteCount)
        }
        return Header(version: version, bytes: Array(copying: prefix.extracting(first: byteCount)))
    }

    // MARK: Input that starts with no version

    /// 'A': the base64 text of a message of version 3 starts with "AwE" (password) or "AwA" (keys).
    private static let base64FirstByte = UInt8(ascii: "A")

    /// What is wrong with input whose first byte is no version; nil if more bytes are needed to tell.
    private static func foreignInput(_ prefix: RawSpan, mustDecide: Bool) -> CryptorError? {
        let first = prefix.byte(at: 0)
        let probe = prefix.extracting(first: base64ProbeByteCount)
        guard first == base64FirstByte,
            probe.byteOffsets.allSatisfy({ isBase64(probe.byte(at: $0)) })
        else {
            return CryptorError(
                .unsupportedVersion,
                "The first byte is \(first), which is not a supported version of the format (0 to 3). The input is "
                    + "something else, was damaged, or was written by a newer program.")
        }
        guard mustDecide || probe.byteCount == base64ProbeByteCount else { return nil }
        return CryptorError(
            .looksBase64Encoded,
            "The input looks base64-encoded. Decode it first, then decrypt the bytes.",
            advice:
                "'Cryptor.message(fromBase64:)' decodes it; for files, 'FileOptions(base64: true)'."
        )
    }

    /// Whether the start of a file is base64 text, perhaps after white space, and therefore not a binary message.
    package static func isBase64Text(_ start: [UInt8]) -> Bool {
        let text = start.drop { " \t\r\n".utf8.contains($0) }
        return text.first == base64FirstByte && text.allSatisfy { isBase64($0) }
    }

    /// Allows both alphabets, padding, and the white space that mail programs and editors insert.
    private static func isBase64(_ byte: UInt8) -> Bool {
        Base64Character.meaning(of: byte) != Base64Character.foreign
    }

    private static func versionNotAccepted(_ version: FormatVersion, accepting: Set<FormatVersion>)
        -> CryptorError
    {
        var sentence =
            "The input starts as version \(version.rawValue), which is not accepted here."
        if !version.authenticatesHeader {
            sentence +=
                " Anybody can alter the header of such a message unnoticed. Read it if you trust where it "
            sentence += "comes from, and encrypt it anew."
        }
        // The advice repeats the accepted versions, because the caller's new list will replace the old one.
        let list = accepting.union([version]).sorted { $0.rawValue > $1.rawValue }.map { version in
            ".v\(version.rawValue)\(version.authenticatesHeader ? "" : "UnauthenticatedHeader")"
        }.joined(separator: ", ")
        return CryptorError(
            .versionNotAccepted, sentence, advice: "'accepting: [\(list)]' accepts it as well.")
    }
}
