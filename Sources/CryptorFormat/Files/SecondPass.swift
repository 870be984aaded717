import CryptorPrimitives

extension VerifiedMessage {
    /// The length of a segment in a second pass, in bytes. Each segment is held until it has been checked.
    static let segmentByteCount = 256 * 1024
}

extension MessageFile {
    /// Reads the message again and releases its plaintext segment by segment, each only after its digest has matched:
    /// from a file that changed in between, nothing false is released.
    mutating func secondPass(
        _ verified: (VerifiedMessage, SegmentDigests),
        release: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let (message, digests) = verified
        var relay = Relay(try SegmentReader(message, digests), depth: 2)
        var seat = HelperSeat(isSerial: options.concurrency == .serial)
        var segment = MessageChunk()
        input.rewind()
        try input.append(message.header.byteCount, to: &segment.input, &progress)
        var previousBlock = message.header.iv
        var position = 0
        while position < message.ciphertextByteCount {
            let count = min(digests.segmentByteCount, message.ciphertextByteCount - position)
            segment.input.removeAll(keepingCapacity: true)
            segment.input += previousBlock
            try input.append(count, to: &segment.input, &progress)
            previousBlock = Array(segment.input.suffix(FormatSize.block))
            position += count
            // The caller allocates the memory, not the helper, because a thread does not reuse what others have freed.
            segment.output.reserveCapacity(count)
            if let vouchedFor = try relay.pass(segment, besideCaller: seat.askForHelper()) {
                try release(vouchedFor.output, progress)
                segment = vouchedFor
            } else {
                segment = MessageChunk()
            }
        }
        while let vouchedFor = try relay.next() { try release(vouchedFor.output, progress) }
        try release(message.lastPlaintext.withRawSpan { Array(copying: $0) }, progress)
        try progress.complete()
    }
}
