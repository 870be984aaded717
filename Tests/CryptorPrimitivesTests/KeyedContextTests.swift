#if os(Linux)
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// What a context leaves on the stack.
@Suite struct KeyedContextTests {
    /// Expects that `body` leaves nothing of the secret on the stack. Its first call does not count: the dynamic linker
    /// saves all registers when a function is called for the first time.
    private func expectNothing(of secret: [UInt8], left body: @escaping () -> Void, _ comment: Comment) throws {
        let deep = { atDepth(64, body) }
        _ = try stackLeft(by: deep)
        let stack = try stackLeft(by: deep)
        for start in stride(from: 0, through: secret.count - 8, by: 8) {
            let isThere = stack.firstRange(of: secret[start..<start + 8]) != nil
            #expect(!isThere, "bytes \(start) to \(start + 7), \(comment)")
        }
    }

    /// The right code of a forged message is gone from the stack, since its forger could use it.
    @Test(.disabled(if: Sanitizer.watchesMemory, "a sanitizer has the compiler put more on the stack"))
    func theRightCodeOfAForgedMessageIsGone() throws {
        var generator = SeededGenerator()
        let hmacKey = SecretBytes(generator.bytes(32))
        let body = generator.bytes(16 + 64)
        let forged = generator.bytes(32)
        var authenticator = try HMACAuthenticator(key: hmacKey)
        try authenticator.update(body)
        let code = try authenticator.finish()
        nonisolated(unsafe) var context = try KeyedContext(
            encryptionKey: SecretBytes(generator.bytes(32)), hmacKey: hmacKey)
        nonisolated(unsafe) var matches: Bool?
        let read = {
            matches = try? withRawSpan(of: body) { (body) throws(OpenSSLError) in
                try context.authenticate(body)
                return try withRawSpan(of: forged) { (forged) throws(OpenSSLError) in
                    try context.authenticator.finish(matching: forged)
                }
            }
        }
        try expectNothing(of: code, left: read, "\(generator)")
        #expect(matches == false)
    }

    /// The last block, which is padded on the stack, is gone from there.
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
            messageByteCount = try? withRawSpan(of: plaintext) { (plaintext) throws(OpenSSLError) in
                try Array(byteCapacity: 100) { (output) throws(OpenSSLError) in
                    try context.encrypt(plaintext, into: &output)
                }.count
            }
        }
        try expectNothing(of: Array(plaintext.suffix(count % 16)), left: write, "\(generator)")
        #expect(messageByteCount == 16 + (count / 16 + 1) * 16)
    }
}
#endif
