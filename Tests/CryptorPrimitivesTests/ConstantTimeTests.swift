import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct ConstantTimeTests {
    private func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        withRawSpan(of: left) { left in withRawSpan(of: right) { right in constantTimeEqual(left, right) } }
    }

    @Test func equalBytes() {
        var generator = SeededGenerator()
        for count in 0...100 {
            let bytes = generator.bytes(count)
            #expect(equal(bytes, Array(bytes)), "\(count) bytes, \(generator)")
        }
    }

    @Test func everySingleBit() {
        var generator = SeededGenerator()
        let bytes = generator.bytes(32)
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!equal(bytes, other), "bit \(bit), \(generator)")
        }
    }

    @Test func differentLengths() {
        let bytes = [UInt8](repeating: 0, count: 32)
        for count in 0..<32 {
            #expect(!equal(bytes, Array(bytes.prefix(count))), "\(count) bytes")
            #expect(!equal(Array(bytes.prefix(count)), bytes), "\(count) bytes")
        }
    }
}
