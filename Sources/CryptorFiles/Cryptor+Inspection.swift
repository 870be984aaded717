public import CryptorFormat
import CryptorPrimitives

extension Cryptor {
    /// Reads the header of a message and finds its length, without a credential. A source whose
    /// length is known, such as a file on disk, is not read to its end, unless it is base64 text.
    /// - Returns: the facts about the message. None of them has been authenticated.
    /// - Throws: `inputOutput`, `invalidPath`, `cancelled`, or the error of the header: see
    ///   ``MessageHeader/init(parsing:)``.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use inspectFile of CryptorPool.shared."
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
        try naming(source) { () throws(CryptorError) in
            var input = try InputFile.open(source, progress: ProgressReporter(progress))
            if options.base64 { try input.acceptBase64() }
            var start: [UInt8] = []
            try input.append(MessageChunk.byteCount, to: &start)
            let isComplete = start.count < MessageChunk.byteCount
            let known = input.messageByteCount ?? (isComplete ? start.count : nil)
            let end = try input.end(ofMessageFrom: start, isComplete: isComplete)
            let header = try MessageHeader.read(
                from: start.rawSpan(start.indices), messageByteCount: known,
                end: end.rawSpan(end.indices))
            try header.checkVersion(isIn: accepting)
            let count = if let known { known } else { start.count + (try input.countToEnd()) }
            return MessageInspection(
                header: header, messageByteCount: count, isBase64: input.isBase64)
        }
    }
}
