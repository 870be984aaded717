import CryptorPrimitives
import CryptorTestSupport
import Testing

/// What is judged in constant time is judged right: whether bytes are the same, and the padding of
/// the last block.
@Suite struct ConstantTimeTests {
    private func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        withRawSpan(of: left) { left in
            withRawSpan(of: right) { right in constantTimeEqual(left, right) }
        }
    }

    @Test func everyBitAndEveryLength() {
        var generator = SeededGenerator()
        let bytes = generator.bytes(32)
        for count in 0...32 {
            let start = Array(bytes.prefix(count))
            #expect(equal(start, Array(start)), "\(count) bytes, \(generator)")
            guard count < 32 else { continue }
            #expect(!equal(start, bytes) && !equal(bytes, start), "\(count) bytes, \(generator)")
        }
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!equal(bytes, other), "bit \(bit), \(generator)")
        }
    }

    /// RFC 5652, section 6.3, word for word.
    private func plaintextByteCount(_ block: [UInt8]) -> Int? {
        let length = Int(block[15])
        guard (1...16).contains(length), block.suffix(length).allSatisfy({ $0 == block[15] }) else {
            return nil
        }
        return 16 - length
    }

    /// Every right padding, and each with every byte in every place. And blocks of one byte only,
    /// since a long padding would reach beyond the block.
    @Test(arguments: 0...16)
    func everyPadding(length: Int) {
        func check(_ block: [UInt8]) {
            let found = withRawSpan(of: block) { block in
                PKCS7Padding.plaintextByteCount(ofLastBlock: block)
            }
            #expect(found == plaintextByteCount(block), "\(block.hex)")
        }
        let right =
            [UInt8](repeating: 0xEE, count: 16 - length)
            + [UInt8](repeating: UInt8(length), count: length)
        for value in UInt8.min...UInt8.max {
            if length == 0 { check([UInt8](repeating: value, count: 16)) }
            for position in 0..<16 {
                var block = right
                block[position] = value
                check(block)
            }
        }
    }
}
