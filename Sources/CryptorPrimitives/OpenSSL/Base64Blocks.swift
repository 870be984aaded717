import CCryptorSystem
import CryptorSystem
import COpenSSL

/// Base64 (RFC 4648, section 4) by OpenSSL, which is quick, and strict: `EVP_EncodeBlock(3)`.
package enum Base64Blocks {
    /// OpenSSL takes lengths as `int`. This is a multiple of a group's length, in bytes (3) and in
    /// characters (4).
    private static let maximumCallByteCount = 3 << 28

    private static func textByteCount(of byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

    /// Appends the text, padded, in one line without a newline.
    package static func append(_ bytes: RawSpan, to text: inout [UInt8]) {
        text.appendBytes(capacity: textByteCount(of: bytes.byteCount) + 1) { output in
            encode(bytes, into: &output)
        }
    }

    /// Appends the text. There must be room for it and for one more byte, which OpenSSL writes.
    @_lifetime(output: copy output)
    static func encode(_ bytes: RawSpan, into output: inout OutputRawSpan) {
        precondition(output.freeCapacity > textByteCount(of: bytes.byteCount))
        output.withUnsafeMutableBytes { buffer, count in
            var rest = bytes
            while rest.byteCount > 0 {
                let piece = rest.extracting(first: maximumCallByteCount)
                let start = buffer.baseAddress?.advanced(by: count).assumingMemoryBound(
                    to: UInt8.self)
                count += piece.withUnsafeBytes { piece in
                    Int(
                        EVP_EncodeBlock(
                            start, piece.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            CInt(piece.count)))
                }
                rest = rest.extracting(droppingFirst: piece.byteCount)
            }
        }
    }

    /// Appends the bytes of well-formed text: characters of the alphabet, in whole groups, padded
    /// only at the end. There must be room for three bytes for each four characters.
    /// - Returns: false, with nothing appended, for any other text.
    @_lifetime(output: copy output)
    package static func decode(_ text: RawSpan, into output: inout OutputRawSpan) -> Bool {
        guard text.byteCount > 0 else { return true }
        guard text.byteCount.isMultiple(of: 4), text.byteCount <= maximumCallByteCount else {
            return false
        }
        let expected = text.byteCount / 4 * 3
        precondition(output.freeCapacity >= expected)
        guard let paddingCount = paddingCount(text) else { return false }
        return output.withUnsafeMutableBytes { buffer, count in
            let start = buffer.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self)
            let written = text.withUnsafeBytes { text in
                EVP_DecodeBlock(
                    start, text.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(text.count))
            }
            // OpenSSL writes fewer bytes if it skips spaces at either end, or characters that it
            // takes for the end of the text.
            guard Int(written) == expected else { return false }
            count += expected - paddingCount
            return true
        }
    }

    /// - Returns: the number of padding characters at the end; nil if one is elsewhere, which
    ///   OpenSSL reads as zeros.
    private static func paddingCount(_ text: RawSpan) -> Int? {
        let padding = UInt8(ascii: "=")
        let end = text.byteCount
        let isPadded = text.byte(at: end - 1) == padding
        let count = isPadded ? (text.byte(at: end - 2) == padding ? 2 : 1) : 0
        let isPaddedBefore = text.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memchr($0, CInt(padding), end - count) != nil } ?? false
        }
        return isPaddedBefore ? nil : count
    }
}
