/// What can be told of a message without its password or keys. Nothing of it is authentic.
public struct MessageInspection: Sendable {
    /// The header.
    public let header: Header

    /// The length of the message in bytes, decoded if it is base64 text.
    public let messageByteCount: Int

    /// Whether it is base64 text.
    public let isBase64: Bool

    /// What is wrong with the length of the message; nil if its shape is sound.
    public let shapeError: CryptorError?

    /// Whether it is a password message of version 2, 1 or 0, some of whose writers used only the beginning of a password
    /// that is not ASCII: it may need ``Credential/acceptingShortenedPasswords()`` then. True of all of version 0, which does
    /// not say whether a password was used.
    public var mayNeedShortenedPassword: Bool { header.usesPassword && header.version.rules.passwordsWereTruncated }

    /// The length of the plaintext in bytes, which padding hides to within 16; nil if the shape is not sound. Of version
    /// 0, which does not say it, this and the header are those of a password message.
    public var plaintextByteCount: ClosedRange<Int>? {
        guard shapeError == nil else { return nil }
        let ciphertextByteCount = messageByteCount - header.byteCount - FormatSize.code
        let rules = header.version.rules
        guard rules.cipher == .cbc else { return ciphertextByteCount...ciphertextByteCount }
        return ciphertextByteCount - rules.blockByteCount...ciphertextByteCount - 1
    }
}

extension Cryptor {
    /// Reads what is plain in a message: its header and its length. What has a length of its own, such as a file on
    /// disk, is not read to its end.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - acceptingBase64: whether a message in base64 text is decoded.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Returns: what was read; nothing of it is authentic.
    /// - Throws: `inputOutput`, `cancelled`, or what is wrong with the header: `messageTooShort`, `unsupportedVersion`,
    ///   `unsupportedOptions` or `looksBase64Encoded`.
    public static func inspectFile(
        at source: FileEndpoint, acceptingBase64: Bool = false, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> MessageInspection {
        var reporter = ProgressReporter(progress, totalBytes: nil)
        let file = try InputFile(opening: source, progress: reporter)
        reporter.totalBytes = file.byteCount
        var input = try MessageInput(file, acceptingBase64: acceptingBase64, &reporter)
        var chunk: [UInt8] = []
        try input.append(FileChunk.byteCount, to: &chunk, &reporter)
        do throws(CryptorError) {
            let header = try Header(parsing: chunk)
            var count = chunk.count
            if let known = input.byteCount {
                count = known
            } else {
                while !chunk.isEmpty {
                    chunk.removeAll(keepingCapacity: true)
                    try input.append(FileChunk.byteCount, to: &chunk, &reporter)
                    count += chunk.count
                }
            }
            var shapeError: CryptorError?
            do throws(CryptorError) { try header.checkMessageByteCount(count) } catch { shapeError = error }
            return MessageInspection(
                header: header, messageByteCount: count, isBase64: input.isBase64, shapeError: shapeError)
        } catch {
            throw error.naming(input.name)
        }
    }
}
