public import CryptorFormat
import CryptorPrimitives

/// What can be learned about a message without its password or keys. None of it has been
/// authenticated.
public struct MessageInspection: Hashable, Sendable {
    /// The header.
    public let header: MessageHeader

    /// The length of the message in bytes, decoded if it is base64 text.
    public let messageByteCount: Int

    /// Whether the message is base64 text.
    public let isBase64: Bool

    package init(header: MessageHeader, messageByteCount: Int, isBase64: Bool) {
        self.header = header
        self.messageByteCount = messageByteCount
        self.isBase64 = isBase64
    }

    /// What is wrong with the length of the message; nil if its shape is sound.
    public var shapeError: CryptorError? {
        do throws(CryptorError) { try header.checkMessageByteCount(messageByteCount) } catch {
            return error
        }
        return nil
    }

    /// The range in which the length of the plaintext in bytes lies; nil if the shape is not sound.
    /// Padding hides the exact length.
    public var plaintextByteCount: ClosedRange<Int>? {
        guard shapeError == nil else { return nil }
        let ciphertextByteCount = header.ciphertextByteCount(ofMessage: messageByteCount)
        return ciphertextByteCount - FormatSize.block...ciphertextByteCount - 1
    }
}
