public import CryptorFormat
import CryptorPrimitives

extension Cryptor {
    /// Reads the header of a message and finds its length, without a credential. A source whose
    /// length is known, such as a file on disk, is not read to its end, unless it is base64 text.
    /// - Returns: the facts about the message. None of them has been authenticated.
    /// - Throws: `inputOutput`, `invalidPath`, `cancelled`, or the error of the header: see
    ///   `MessageHeader(parsing:)`.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use inspectFile of CryptorPool.shared."
    )
    public static func inspectFile(
        at source: some FileLocation, options: FileOptions = FileOptions(),
        progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) -> MessageInspection {
        var options = options
        options.readsVersion0 = false
        let found = try inspectAnyVersion(source.endpoint, options, progress: progress)
        guard case .message(let inspection) = found else {
            preconditionFailure("version 0 is not read")
        }
        return inspection
    }

    /// As ``inspectFile(at:options:progress:)``, and of version 0 if the options say so.
    /// - Parameter accepting: other versions are refused.
    package static func inspectAnyVersion(
        _ source: FileEndpoint, accepting: Acceptance = .all, _ options: FileOptions,
        progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> InspectedMessage {
        try naming(source) { () throws(CryptorError) in
            var input = try InputFile.open(source, progress: ProgressReporter(progress))
            if options.base64 { try input.acceptBase64() }
            var start: [UInt8] = []
            try input.append(MessageChunk.byteCount, to: &start)
            if options.readsVersion0, start.first == 0 {
                try input.appendVersion0(to: &start)
                return .version0(
                    messageByteCount: start.count,
                    plaintextByteCount: Cryptor.version0PlaintextByteCount(ofMessage: start),
                    isBase64: input.isBase64)
            }
            let isComplete = start.count < MessageChunk.byteCount
            let known = input.messageByteCount ?? (isComplete ? start.count : nil)
            let end = try input.end(ofMessageFrom: start, isComplete: isComplete)
            let header = try MessageHeader.read(
                from: start.rawSpan(start.indices), messageByteCount: known,
                end: end.rawSpan(end.indices))
            let count = if let known { known } else { start.count + (try input.countToEnd()) }
            let inspection = MessageInspection(
                header: header, messageByteCount: count, isBase64: input.isBase64)
            try header.checkVersion(isIn: accepting, helps: inspection.shapeError == nil)
            return .message(inspection)
        }
    }
}

/// What a message shows.
package enum InspectedMessage {
    case message(MessageInspection)
    /// It begins like version 0. The range in which the length of the plaintext lies is nil if it
    /// is no such message.
    case version0(messageByteCount: Int, plaintextByteCount: ClosedRange<Int>?, isBase64: Bool)
}
