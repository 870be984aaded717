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
        let forged = generator.bytes(32)
        var authenticator = try HMACAuthenticator(key: hmacKey)
        try authenticator.update(body)
        let code = try authenticator.finish()
        nonisolated(unsafe) var context = try KeyedContext(
            encryptionKey: SecretBytes(generator.bytes(32)), hmacKey: hmacKey)
        nonisolated(unsafe) var matches: Bool?
        let read = {
            atDepth(64) {
                matches = try? withRawSpan(of: body) { (body) throws(OpenSSLError) in
                    try context.authenticate(body)
                    return try withRawSpan(of: forged) { (forged) throws(OpenSSLError) in
                        try context.authenticator.finish(matching: forged)
                    }
                }
            }
        }
        // Not the first time: the dynamic linker saves all registers when a function is called for the first time.
        _ = try stackLeft(by: read)
        let stack = try stackLeft(by: read)
        #expect(matches == false)
        for start in stride(from: 0, to: 32, by: 8) {
            let isThere = stack.firstRange(of: code[start..<start + 8]) != nil
            #expect(!isThere, "bytes \(start) to \(start + 7), \(generator)")
        }
    }
}
#endif
