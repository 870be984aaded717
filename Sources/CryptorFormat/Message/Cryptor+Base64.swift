internal import CryptorPrimitives

// Messages as text, for what carries text only.
extension Cryptor {
    /// The base64 text of a message (RFC 4648, section 4), in one line and padded, in ASCII.
    public static func base64Text(of message: some Collection<UInt8>) -> [UInt8] {
        Base64Encoder.text(of: message)
    }

    /// The message in base64 text as people come with it: either alphabet, with line breaks, without padding, with spaces
    /// for plus signs. A run of more than 1,024 spaces is no base64. Nothing of it is verified: that is what ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` does.
    /// - Parameter text: ASCII.
    /// - Throws: `notBase64`.
    public static func message(fromBase64 text: some Collection<UInt8>) throws(CryptorError) -> [UInt8] {
        var decoder = Base64Decoder()
        var message: [UInt8] = []
        do throws(Base64Decoder.Failure) {
            try decoder.decode(Array(text), into: &message)
            try decoder.finish(into: &message)
        } catch {
            throw .notBase64Text(offset: error.offset)
        }
        return message
    }
}
