import CryptorPrimitives

// Messages as text, for channels that carry only text.
extension Cryptor {
    /// The base64 text of a message (RFC 4648, section 4), in one line and padded.
    public static func base64Text(of message: some Collection<UInt8>) -> String {
        withRawSpan(of: message) { message in
            String(decoding: Base64Encoder.text(of: message), as: UTF8.self)
        }
    }

    /// Decodes a message from base64 text: in either alphabet, with or without padding and line
    /// breaks. Spaces may stand for plus signs in one line, or in lines that all have the same
    /// length, a multiple of four, except for the last. A run of more than 1,000 spaces is refused.
    /// Nothing is verified here; ``decrypt(_:with:accepting:)->[UInt8]`` does that.
    /// - Parameter text: ASCII.
    /// - Throws: `notBase64`.
    public static func message(fromBase64 text: some Collection<UInt8>) throws(CryptorError)
        -> [UInt8]
    {
        try withRawSpan(of: text) { (text) throws(CryptorError) in
            var message: [UInt8] = []
            try self.message(fromBase64: text, into: &message)
            return message
        }
    }

    /// Decodes a message from a `String`: see ``message(fromBase64:)-(Collection<UInt8>)``.
    public static func message(fromBase64 text: some StringProtocol) throws(CryptorError)
        -> [UInt8]
    {
        try message(fromBase64: text.utf8)
    }

    /// Replaces the contents of `message` with the message decoded from a part of a text, for the
    /// command, which reuses both arrays for many lines: see ``message(fromBase64:)``.
    package static func message(
        fromBase64 range: Range<Int>, of text: [UInt8], replacing message: inout [UInt8]
    ) throws(CryptorError) {
        message.removeAll(keepingCapacity: true)
        try self.message(fromBase64: text.rawSpan(range), into: &message)
    }

    /// Appends the message decoded from base64 text: see ``message(fromBase64:)``, which throws the
    /// same errors. After an error nothing is appended.
    private static func message(fromBase64 text: RawSpan, into message: inout [UInt8])
        throws(CryptorError)
    {
        var isWellFormed = false
        message.appendBytes(capacity: text.byteCount / 4 * 3) { output in
            isWellFormed = Base64Blocks.decode(text, into: &output)
        }
        if isWellFormed { return }
        let start = message.count
        var decoder = Base64Decoder()
        do throws(Base64Decoder.Failure) {
            try decoder.decode(Array(copying: text), into: &message)
            try decoder.finish(into: &message)
        } catch {
            message.removeLast(message.count - start)
            if let count = error.characterCountOfMessage {
                throw CryptorError(
                    .notBase64,
                    """
                    Base64 text never has \(count) characters: some are missing, probably at its \
                    end. Fetch it again.
                    """)
            }
            throw CryptorError(
                .notBase64,
                """
                Byte \(error.offset), counted from 0, is not base64. The text is not a message, or \
                part of it was lost or altered: fetch it again.
                """)
        }
    }
}
