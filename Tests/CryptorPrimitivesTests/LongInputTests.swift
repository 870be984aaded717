import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// OpenSSL takes lengths as `int`. One call with more than `Int32.max` bytes must do what many short calls do.
@Suite struct LongInputTests {
    private static let windowByteCount = RepeatedMemory.windowByteCount
    private static let byteCount = (2 << 30) + 2 * windowByteCount
    private static let chunkByteCount = 1 << 20

    private let key = SecretBytes(Array(0..<32))
    private let zeros: Zeros

    init() throws { zeros = try Zeros(byteCount: Self.byteCount) }

    @Test func authenticator() throws {
        try zeros.withRawSpan { input in
            var single = try HMACAuthenticator(key: key)
            var chunked = try HMACAuthenticator(key: key)
            try single.update(input)
            for offset in stride(from: 0, to: Self.byteCount, by: Self.chunkByteCount) {
                try chunked.update(input.extracting(offset..<offset + Self.chunkByteCount))
            }
            let codes = (try single.finish(), try chunked.finish())
            #expect(codes.0 == codes.1)
            // Python's hmac computes this code.
            #expect(codes.0.hex == "7b50580a0a1bdf7d501f7385dae362f4f5fa37bb8a2f62cacd68b97fc215b7b1")
        }
    }

    @Test(arguments: [AESCipher.Direction.encrypt, .decrypt])
    func cipher(direction: AESCipher.Direction) throws {
        let iv = Array(UInt8(0)..<16)
        let memory = try RepeatedMemory(byteCount: Self.byteCount)
        let end = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.windowByteCount, alignment: 16)
        defer { end.deallocate() }
        try zeros.withRawSpan { input in
            var single = try AESCipher(direction, key: key, iv: iv)
            var chunked = try AESCipher(direction, key: key, iv: iv)
            var output = OutputRawSpan(buffer: memory.buffer, initializedCount: 0)
            try single.update(input, into: &output)
            #expect(output.byteCount == Self.byteCount)
            // The end of the output is in every window of the memory, the last one included.
            for window in stride(from: 0, to: Self.byteCount, by: Self.windowByteCount) {
                var output = OutputRawSpan(buffer: end, initializedCount: 0)
                for offset in stride(from: window, to: window + Self.windowByteCount, by: Self.chunkByteCount) {
                    try chunked.update(input.extracting(offset..<offset + Self.chunkByteCount), into: &output)
                }
            }
        }
        let isSame = sameBytes(memory.buffer.suffix(end.count), end)
        #expect(isSame, "the last \(end.count) bytes differ")
    }

    /// OpenSSL takes lengths of texts as `int`, too, so long texts are encoded in parts. No part has padding in the
    /// middle of the text.
    @Test func base64() throws {
        let memory = try RepeatedMemory(byteCount: Self.byteCount)
        zeros.withRawSpan { input in
            for count in [(2 << 28) + 1, (3 << 28) + 3] {
                var output = OutputRawSpan(buffer: memory.buffer, initializedCount: 0)
                Base64Blocks.encode(input.extracting(first: count), into: &output)
                #expect(output.byteCount == (count + 2) / 3 * 4)
            }
        }
    }
}
