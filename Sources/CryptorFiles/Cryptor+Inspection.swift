import CryptorSystem
public import CryptorFormat

/// What can be learned about a message without its password or keys. None of it has been authenticated.
public struct MessageInspection: Hashable, Sendable {
    /// The header. Version 0 does not say whether a password was used: the header is then that of a password message if
    /// the message is long enough for one.
    public let header: Header

    /// In version 0, where `header` is that of a password message, the header that the message has if keys were used.
    /// The bytes of the salts in `header` are the IV in this one.
    package let headerIfKeys: Header?

    /// The length of the message in bytes, decoded if it is base64 text.
    public let messageByteCount: Int

    /// Whether the message is base64 text.
    public let isBase64: Bool

    /// What is wrong with the length of the message; nil if its shape is sound.
    package var shapeError: CryptorError? { header.shapeError(messageByteCount: messageByteCount) }

    /// Whether this is a password message of version 2, 1 or 0. Some writers of these versions used only the beginning
    /// of a password that is not ASCII, so the message may need ``Credential/shortenedReadings``.
    package var mayNeedShortenedPassword: Bool { header.usesPassword && header.version.rules.passwordsWereTruncated }

    /// The range in which the length of the plaintext in bytes lies; nil if the shape is not sound. Padding hides the
    /// exact length. Version 0 has no padding: there the length is the lower bound with a password, the upper bound
    /// with keys.
    public var plaintextByteCount: ClosedRange<Int>? {
        guard shapeError == nil else { return nil }
        let ciphertextByteCount = messageByteCount - header.byteCount - FormatSize.tag
        let rules = header.version.rules
        guard rules.cipher == .cbc else {
            return ciphertextByteCount...messageByteCount - (headerIfKeys ?? header).byteCount - FormatSize.tag
        }
        return ciphertextByteCount - rules.blockByteCount...ciphertextByteCount - 1
    }
}

extension Header {
    fileprivate func shapeError(messageByteCount: Int) -> CryptorError? {
        do throws(CryptorError) { try checkMessageByteCount(messageByteCount) } catch { return error }
        return nil
    }
}

extension Cryptor {
    /// Reads the header of a message and finds its length, without a credential. A source whose length is known, such
    /// as a file on disk, is not read to its end, unless it is base64 text.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - options: whether a message in base64 text is decoded.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Returns: what was found. None of it has been authenticated.
    /// - Throws: `inputOutput`, `invalidPath`, `cancelled`, or what is wrong with the header:
    ///   `invalidMessageLength`, `unsupportedVersion` or `looksBase64Encoded`.
    @available(*, noasync, message: "It blocks the thread. In a task, use inspectFile of CryptorPool.shared.")
    public static func inspectFile(
        at source: some FileLocation, options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> MessageInspection {
        let source = try source.endpoint
        return try source.naming { () throws(CryptorError) in
            var input = try MessageInput(
                try InputFile(opening: source, progress: ProgressReporter(progress)), acceptingBase64: options.base64)
            var chunk: [UInt8] = []
            try input.append(MessageChunk.byteCount, to: &chunk)
            let header = try Header(parsing: chunk, version0UsesPassword: false)
            let ifPassword = header.usesPassword ? nil : try? Header(parsing: chunk)
            var count = chunk.count
            while input.byteCount == nil, !chunk.isEmpty {
                chunk.removeAll(keepingCapacity: true)
                try input.append(MessageChunk.byteCount, to: &chunk)
                count += chunk.count
            }
            count = input.byteCount ?? count
            // Only version 0 has both headers: the other versions say whether a password was used.
            if let ifPassword, ifPassword.usesPassword, ifPassword.shapeError(messageByteCount: count) == nil {
                return MessageInspection(
                    header: ifPassword, headerIfKeys: header, messageByteCount: count, isBase64: input.isBase64)
            }
            return MessageInspection(
                header: header, headerIfKeys: nil, messageByteCount: count, isBase64: input.isBase64)
        }
    }
}
