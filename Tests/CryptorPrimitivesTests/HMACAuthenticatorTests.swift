import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct HMACAuthenticatorTests {
    struct Published: Sendable, CustomTestStringConvertible {
        let number: Int
        let key, data: [UInt8]
        let code: String
        var testDescription: String { "RFC 4231, case \(number)" }
    }

    /// RFC 4231, section 4; the code of case 5 is published in part only.
    static let published = [
        Published(
            number: 1, key: [UInt8](repeating: 0x0b, count: 20), data: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Published(
            number: 2, key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Published(
            number: 3, key: [UInt8](repeating: 0xaa, count: 20), data: [UInt8](repeating: 0xdd, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Published(
            number: 4, key: Array(1...25), data: [UInt8](repeating: 0xcd, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Published(
            number: 5, key: [UInt8](repeating: 0x0c, count: 20), data: Array("Test With Truncation".utf8),
            code: "a3b6167473100ee06e0c796c2955552b"),
        Published(
            number: 6, key: [UInt8](repeating: 0xaa, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Published(
            number: 7, key: [UInt8](repeating: 0xaa, count: 131),
            data: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
                    + "be hashed before being used by the HMAC algorithm.").utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    private func code(_ data: [UInt8], key: [UInt8], _ chunking: Chunking = .whole) throws -> [UInt8] {
        var authenticator = try HMACAuthenticator(key: SecretBytes(key))
        for chunk in chunking.chunks(of: data) {
            try withRawSpan(of: chunk) { chunk in try authenticator.update(chunk) }
        }
        var code: [UInt8] = []
        try withRoom(for: HMACAuthenticator.Hash.sha256.byteCount, appendingTo: &code) { output in
            try authenticator.finish(into: &output)
        }
        return code
    }

    @Test(arguments: published)
    func publishedCode(_ test: Published) throws {
        let actual = try code(test.data, key: test.key)
        #expect(actual.hex.hasPrefix(test.code), "\(test.testDescription): \(actual.hex)")
        #expect(actual.count == 32)
        for chunking in Chunking.everySize + Chunking.everySplit(of: test.data.count) {
            #expect(try code(test.data, key: test.key, chunking) == actual, "\(test.testDescription), \(chunking)")
        }
    }

    @Test func everyAlteredBitOfTheCodeIsFound() throws {
        let key = [UInt8](repeating: 0x55, count: 32)
        let data = Array("payload".utf8)
        let right = try code(data, key: key)
        func matches(_ expected: [UInt8]) throws -> Bool {
            var authenticator = try HMACAuthenticator(key: SecretBytes(key))
            try authenticator.update(data)
            return try withRawSpan(of: expected) { expected in try authenticator.finish(matching: expected) }
        }
        #expect(try matches(right))
        for bit in 0..<256 {
            var altered = right
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(try !matches(altered), "bit \(bit)")
        }
        #expect(try !matches(Array(right.dropLast())), "one byte short")
        #expect(try !matches(right + [0]), "one byte long")
        #expect(try !matches([]), "empty")
    }

    /// The template that contexts are copied from has a key of its own, which must not affect their codes.
    @Test func contextsDoNotShareKeys() throws {
        let data = Array("the same".utf8)
        var first = try HMACAuthenticator(key: SecretBytes([UInt8](repeating: 1, count: 32)))
        var second = try HMACAuthenticator(key: SecretBytes([UInt8](repeating: 2, count: 32)))
        try first.update(data)
        try second.update(data)
        let codes = [try first.finish(), try second.finish()]
        #expect(codes[0] != codes[1])
        #expect(codes[0] == (try code(data, key: [UInt8](repeating: 1, count: 32))))
        #expect(codes[0] != (try code(data, key: [UInt8](repeating: 0, count: 32))))
    }
}
