import CryptorPrimitives

/// The running HMACs of a message, one a segment, each cut to 16 bytes: enough to compare (RFC 2104, section 5), and no
/// trailer for a shortened message. 16 bytes of memory for 512 KiB of message.
struct SegmentNotes {
    /// The plaintext that is held until it is vouched for, at a time.
    static let segmentByteCount = 512 * 1024

    private static let noteByteCount = 16
    private var bytes: [UInt8] = []

    mutating func append(_ code: SecretBytes) {
        code.withRawSpan { code in bytes.append(contentsOf: code.extracting(first: Self.noteByteCount)) }
    }

    func matches(_ code: SecretBytes, at index: Int) -> Bool {
        let start = index * Self.noteByteCount
        return withRawSpan(of: bytes) { bytes in
            code.withRawSpan { code in
                constantTimeEqual(
                    code.extracting(first: Self.noteByteCount),
                    bytes.extracting(start..<start + Self.noteByteCount))
            }
        }
    }
}
