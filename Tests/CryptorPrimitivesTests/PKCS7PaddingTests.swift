import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct PKCS7PaddingTests {
    /// RFC 5652, section 6.3, word for word.
    private func reference(_ block: [UInt8]) -> Int? {
        let length = Int(block[15])
        guard (1...16).contains(length), block.suffix(length).allSatisfy({ $0 == block[15] }) else { return nil }
        return 16 - length
    }

    private func check(_ block: [UInt8], _ comment: Comment) {
        let actual = withRawSpan(of: block) { block in PKCS7Padding.plaintextByteCount(ofLastBlock: block) }
        #expect(actual == reference(block), "\(comment): \(block.hex)")
    }

    @Test(arguments: 1...16)
    func rightPadding(length: Int) {
        let block = [UInt8](repeating: 0xEE, count: 16 - length) + [UInt8](repeating: UInt8(length), count: length)
        let actual = withRawSpan(of: block) { block in PKCS7Padding.plaintextByteCount(ofLastBlock: block) }
        #expect(actual == 16 - length, "\(block.hex)")
    }

    @Test func everyLastByteAfterEveryFilling() {
        for last in UInt8.min...UInt8.max {
            for filling in [0, 1, 15, 16, 17, 0x80, 0xFF, last] {
                check([UInt8](repeating: filling, count: 15) + [last], "filled with \(filling)")
            }
        }
    }

    @Test(arguments: 1...16)
    func everyCorruptedPosition(length: Int) {
        let right = [UInt8](repeating: 0xEE, count: 16 - length) + [UInt8](repeating: UInt8(length), count: length)
        for position in 0..<16 {
            for value in UInt8.min...UInt8.max {
                var block = right
                block[position] = value
                check(block, "position \(position) of padding \(length)")
            }
        }
    }
}
