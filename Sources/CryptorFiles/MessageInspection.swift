public import CryptorFormat
import CryptorPrimitives

/// The facts about a message that need no password or keys. None of them has been authenticated.
public struct MessageInspection: Hashable, Sendable {
    /// The header.
    public let header: MessageHeader

    /// The length of the message in bytes, decoded if it is base64 text.
    public let messageByteCount: Int

    /// Whether the message is base64 text.
    public let isBase64: Bool

    init(header: MessageHeader, messageByteCount: Int, isBase64: Bool) {
        self.header = header
        self.messageByteCount = messageByteCount
        self.isBase64 = isBase64
    }

    /// The error for a message of this length; nil if the length is valid.
    public var shapeError: CryptorError? {
        do throws(CryptorError) { try header.checkMessageByteCount(messageByteCount) } catch {
            return error
        }
        return nil
    }

    /// The possible lengths of the plaintext in bytes; nil if the message's length is not valid.
    /// Padding hides the exact length.
    public var plaintextByteCount: ClosedRange<Int>? {
        guard shapeError == nil else { return nil }
        let ciphertextByteCount = header.ciphertextByteCount(ofMessage: messageByteCount)
        return ciphertextByteCount - FormatSize.block...ciphertextByteCount - 1
    }
}
