#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import CryptorPrimitives

/// The right HMAC of a forged message is what its forger is after: it does not stay on the stack.
@Suite(.disabled(if: Sanitizer.watchesMemory, "a sanitizer has the compiler put more on the stack"))
struct KeyedContextTests {
    @Test func theRightCodeOfAForgedMessageIsGone() throws {
        var generator = SeededGenerator()
        let hmacKey = SecretBytes(generator.bytes(32))
        let body = generator.bytes(16 + 64)
        let forged = body + generator.bytes(32)
        var authenticator = try HMACAuthenticator(key: hmacKey)
        try authenticator.update(body)
        let code = try authenticator.finish().plain
        nonisolated(unsafe) let context = try KeyedContext(
            encryptionKey: SecretBytes(generator.bytes(32)), hmacKey: hmacKey)
        nonisolated(unsafe) var verdict: KeyedContext.Verdict?
        let read = {
            var room: [UInt8] = []
            atDepth(64) {
                withRawSpan(of: forged) { message in
                    try? room.appendBytes(capacity: 64) { (output) throws(KeyedContextError) in
                        verdict = try context.appendPlaintext(of: message, ivOffset: 0, to: &output)
                    }
                }
            }
        }
        // Not the first time: the dynamic linker saves all registers when a function is called for the first time.
        _ = try stackLeft(by: read)
        let stack = try stackLeft(by: read)
        #expect(verdict == .forged)
        for start in stride(from: 0, to: 32, by: 8) {
            let isThere = stack.firstRange(of: code[start..<start + 8]) != nil
            #expect(!isThere, "bytes \(start) to \(start + 7), \(generator)")
        }
    }
}
#endif
