/// What can be told of a message without its password or keys. Nothing of it is authentic.
public struct MessageInspection: Hashable, Sendable {
    /// The header; of version 0, which does not say whether a password was used, that of a password message if it is long
    /// enough for one.
    public let header: Header

    /// Of version 0, where `header` is that of a password message: the header if keys were used. What are salts in the one
    /// is the IV in the other.
    public let headerIfKeys: Header?

    /// The length of the message in bytes, decoded if it is base64 text.
    public let messageByteCount: Int

    /// Whether it is base64 text.
    public let isBase64: Bool

    /// What is wrong with the length of the message; nil if its shape is sound.
    public var shapeError: CryptorError? { header.shapeError(messageByteCount: messageByteCount) }

    /// Whether it is a password message of version 2, 1 or 0, some of whose writers used only the beginning of a password
    /// that is not ASCII: it may need ``Acceptance/shortenedPasswords`` then.
    public var mayNeedShortenedPassword: Bool { header.usesPassword && header.version.rules.passwordsWereTruncated }

    /// The length of the plaintext in bytes, which padding hides to within 16; nil if the shape is not sound. Of version 0,
    /// which has no padding, one end of it: the lower with a password, the upper with keys.
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

/// As an object with `header` and, where it is there, `headerIfKeys`, both in hexadecimal digits, `messageByteCount` and
/// `isBase64`. What else there is follows from these.
extension MessageInspection: Codable {
    /// Reads what `encode(to:)` writes.
    /// - Throws: `DecodingError`, also if the two headers are not of one message.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        header = try container.decode(Header.self, forKey: .header)
        headerIfKeys = try container.decodeIfPresent(Header.self, forKey: .headerIfKeys)
        messageByteCount = try container.decode(Int.self, forKey: .messageByteCount)
        isBase64 = try container.decode(Bool.self, forKey: .isBase64)
        guard let headerIfKeys else { return }
        let isPossible = header.usesPassword && !headerIfKeys.usesPassword && header.version == .v0UnauthenticatedHeader
        guard isPossible, header.bytes.starts(with: headerIfKeys.bytes) else {
            throw DecodingError.dataCorruptedError(
                forKey: .headerIfKeys, in: container, debugDescription: "No message has these two headers.")
        }
    }
}

extension Cryptor {
    /// Reads what is plain in a message: its header and its length. What has a length of its own, such as a file on
    /// disk, is not read to its end, unless it is base64 text.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - acceptingBase64: whether a message in base64 text is decoded.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Returns: what was read; nothing of it is authentic.
    /// - Throws: `inputOutput`, `invalidPath`, `notInFolder`, `cancelled`, or what is wrong with the header:
    ///   `messageTooShort`, `unsupportedVersion`, `unsupportedOptions` or `looksBase64Encoded`.
    public static func inspectFile(
        at source: some FileLocation, acceptingBase64: Bool = false, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> MessageInspection {
        var reporter = ProgressReporter(progress, totalBytes: nil)
        let file = try InputFile(opening: try source.endpoint, progress: reporter)
        reporter.totalBytes = file.byteCount
        var input = try MessageInput(file, acceptingBase64: acceptingBase64, &reporter)
        var chunk: [UInt8] = []
        try input.append(MessageChunk.byteCount, to: &chunk, &reporter)
        do throws(CryptorError) {
            let header = try Header(parsing: chunk, version0UsesPassword: false)
            let ifPassword = header.usesPassword ? nil : try? Header(parsing: chunk)
            var count = chunk.count
            if let known = input.byteCount {
                count = known
            } else {
                while !chunk.isEmpty {
                    chunk.removeAll(keepingCapacity: true)
                    try input.append(MessageChunk.byteCount, to: &chunk, &reporter)
                    count += chunk.count
                }
            }
            // Of version 0: the other versions say it themselves.
            if let ifPassword, ifPassword.usesPassword, ifPassword.shapeError(messageByteCount: count) == nil {
                return MessageInspection(
                    header: ifPassword, headerIfKeys: header, messageByteCount: count, isBase64: input.isBase64)
            }
            return MessageInspection(
                header: header, headerIfKeys: nil, messageByteCount: count, isBase64: input.isBase64)
        } catch {
            throw error.naming(input.name)
        }
    }
}
