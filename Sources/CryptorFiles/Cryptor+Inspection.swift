public import CryptorFormat
import CryptorPrimitives

/// What can be learned about a message without its password or keys. None of it has been
/// authenticated.
public struct MessageInspection: Hashable, Sendable {
    /// The header.
    public let header: Header

    /// The length of the message in bytes, decoded if it is base64 text.
    public let messageByteCount: Int

    /// Whether the message is base64 text.
    package let isBase64: Bool

    package init(header: Header, messageByteCount: Int, isBase64: Bool) {
        self.header = header
        self.messageByteCount = messageByteCount
        self.isBase64 = isBase64
    }

    /// What is wrong with the length of the message; nil if its shape is sound.
    package var shapeError: CryptorError? {
        do throws(CryptorError) { try header.checkMessageByteCount(messageByteCount) } catch {
            return error
        }
        return nil
    }

    /// The range in which the length of the plaintext in bytes lies; nil if the shape is not sound.
    /// Padding hides the exact length.
    public var plaintextByteCount: ClosedRange<Int>? {
        guard shapeError == nil else { return nil }
        let ciphertextByteCount = messageByteCount - header.byteCount - FormatSize.tag
        return ciphertextByteCount - FormatSize.block...ciphertextByteCount - 1
    }
}

extension Cryptor {
    /// Reads the header of a message and finds its length, without a credential. A source whose
    /// length is known, such as a file on disk, is not read to its end, unless it is base64 text.
    /// - Returns: what was found. None of it has been authenticated.
    /// - Throws: `inputOutput`, `invalidPath`, `cancelled`, or what is wrong with the header: see
    ///   ``Header/init(parsing:)``.
    @available(
        *, noasync,
        message: "It blocks the thread. Call it outside of tasks, on a thread that may wait."
    )
    public static func inspectFile(
        at source: some FileLocation, options: FileOptions = FileOptions(),
        progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) -> MessageInspection {
        try inspect(source.endpoint, accepting: .all, options, progress: progress)
    }

    /// As ``inspectFile(at:options:progress:)``, but only for the versions that are accepted.
    static func inspect(
        _ source: FileEndpoint, accepting: Acceptance, _ options: FileOptions,
        progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> MessageInspection {
        do throws(CryptorError) {
            var input = try InputFile.open(source, progress: ProgressReporter(progress))
            if options.base64 { try input.acceptBase64() }
            var start: [UInt8] = []
            try input.append(MessageChunk.byteCount, to: &start)
            let isComplete = start.count < MessageChunk.byteCount
            let known = input.messageByteCount ?? (isComplete ? start.count : nil)
            let end = try input.end(ofMessageFrom: start, isComplete: isComplete)
            let header = try Header.read(
                from: start.rawSpan(start.indices), messageByteCount: known,
                end: end.rawSpan(end.indices), accepting: accepting)
            let count = if let known { known } else { start.count + (try input.countToEnd()) }
            return MessageInspection(
                header: header, messageByteCount: count, isBase64: input.isBase64)
        } catch {
            throw error.naming(source.name)
        }
    }
}
