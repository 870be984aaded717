#if os(Linux)
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

@Suite struct KeyedContextTests {
    /// The last block of a plaintext, which is padded on the stack, is gone from there. The first call does not count:
    /// the dynamic linker saves all registers when a function is called for the first time.
    @Test(
        .disabled(if: Sanitizer.watchesMemory, "a sanitizer has the compiler put more on the stack"),
        arguments: [8, 13, 29])
    func theEndOfAPlaintextIsGone(count: Int) throws {
        var generator = SeededGenerator()
        let plaintext = generator.bytes(count)
        nonisolated(unsafe) var context = try KeyedContext(
            encryptionKey: SecretBytes(generator.bytes(32)), hmacKey: SecretBytes(generator.bytes(32)))
        nonisolated(unsafe) var messageByteCount: Int?
        let write = {
            atDepth(64) {
                messageByteCount = try? withRawSpan(of: plaintext) { (plaintext) throws(OpenSSLError) in
                    try Array(byteCapacity: 100) { (output) throws(OpenSSLError) in
                        try context.encrypt(plaintext, into: &output)
                    }.count
                }
            }
        }
        _ = try stackLeft(by: write)
        let stack = try stackLeft(by: write)
        #expect(messageByteCount == 16 + (count / 16 + 1) * 16)
        #expect(stack.firstRange(of: plaintext.suffix(count % 16).prefix(8)) == nil, "\(generator)")
    }
}
#endif
