/// The padding of RFC 5652, section 6.3, for blocks of 16 bytes.
package enum PKCS7Padding {
    /// How many bytes of a message's last block are plaintext (0 to 15), or nil if the padding is
    /// wrong.
    ///
    /// Takes the same time for every content of the block: no branch and no index depends on it
    /// until the verdict. Must be called only after the MAC has matched, because the verdict itself
    /// is a padding oracle.
    package static func plaintextByteCount(ofLastBlock block: RawSpan) -> Int? {
        precondition(block.byteCount == AESCipher.blockByteCount)
        let length = UInt32(block.byte(at: 15))
        // `x &- y` of two numbers below 2^31 has its top bit set just when x < y.
        var wrong = (length &- 1) >> 31 | (16 &- length) >> 31
        for distance in UInt32(0)..<16 {
            let isPadding = 0 &- ((distance &- length) >> 31)
            wrong |= isPadding & (UInt32(block.byte(at: 15 - Int(distance))) ^ length)
        }
        return wrong == 0 ? 16 - Int(length) : nil
    }
}
