import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// The one place where messages are sealed and opened: what each verdict means, and what is left in
/// memory after it.
@Suite struct MessageEngineTests {
    private static let encryptionKey = SecretBytes([UInt8](repeating: 1, count: 32))
    private static let hmacKey = SecretBytes([UInt8](repeating: 2, count: 32))
    private static let otherKey = SecretBytes([UInt8](repeating: 3, count: 32))
    /// A header without an IV, which nobody here reads.
    private static let start: [UInt8] = [3, 0]
    private static let headerByteCount = 18

    private static func engine(hmacKey: SecretBytes = hmacKey) throws -> MessageEngine {
        try MessageEngine(encryptionKey: encryptionKey, hmacKey: hmacKey)
    }

    private static func sealed(
        _ plaintext: [UInt8], by engine: inout MessageEngine
    ) throws -> [UInt8] {
        try [UInt8](byteCapacity: plaintext.count + 66) { (output) throws(OpenSSLError) in
            try engine.seal(plaintext.span.bytes, after: start, into: &output)
        }
    }

    /// A message whose last block decrypts to these 16 bytes, whatever padding that is.
    private static func message(
        endingWith block: [UInt8], hmacKey: SecretBytes = hmacKey
    ) throws -> [UInt8] {
        let iv = [UInt8](repeating: 5, count: 16)
        var cipher = try AESCipher(.encrypt, key: encryptionKey, iv: iv)
        var ciphertext: [UInt8] = []
        try cipher.update([UInt8](repeating: 6, count: 32) + block, replacing: &ciphertext)
        var hmac = try HMACAuthenticator(key: hmacKey)
        let body = start + iv + ciphertext
        try hmac.update(body)
        return body + (try hmac.finish())
    }

    /// Opens a message into memory of 0xAA, and returns what is in it afterwards.
    private static func open(
        _ message: [UInt8], by engine: inout MessageEngine
    ) throws -> (verdict: MessageEnd.Verdict, count: Int, memory: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: message.count, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xAA)
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        let verdict = try engine.open(
            message.span.bytes, headerByteCount: headerByteCount, into: &output)
        return (verdict, output.byteCount, Array(memory))
    }

    @Test func oneMessageAfterTheOther() throws {
        var writer = try Self.engine()
        var reader = try Self.engine()
        var ivs: Set<[UInt8]> = []
        for count in Array(0...100) + [1000, 100_000] {
            let plaintext = [UInt8](repeating: UInt8(count & 255), count: count)
            let message = try Self.sealed(plaintext, by: &writer)
            ivs.insert(Array(message[2..<18]))
            let opened = try Self.open(message, by: &reader)
            #expect(opened.verdict == .authentic, "\(count) bytes")
            #expect(Array(opened.memory.prefix(opened.count)) == plaintext, "\(count) bytes")
        }
        #expect(ivs.count == 103)
    }

    /// The tag comes first: under another key nothing is decrypted, not even to look at the
    /// padding.
    @Test(arguments: [UInt8(1), 2, 16, 0, 17, 255]) func tagBeforePadding(last: UInt8) throws {
        let block = [UInt8](repeating: last, count: 16)
        let message = try Self.message(endingWith: block)
        var stranger = try Self.engine(hmacKey: Self.otherKey)
        let refused = try Self.open(message, by: &stranger)
        #expect(refused.verdict == .tagMismatch && refused.count == 0)
        #expect(refused.memory.allSatisfy { $0 == 0xAA }, "\(refused.memory.shortHex)")

        var engine = try Self.engine()
        for position in [0, 2, 17, 18, 33, message.count - 33, message.count - 1] {
            var altered = message
            altered[position] ^= 0x80
            let refused = try Self.open(altered, by: &engine)
            #expect(refused.verdict == .tagMismatch && refused.count == 0, "byte \(position)")
            #expect(refused.memory.allSatisfy { $0 == 0xAA }, "byte \(position)")
        }
        // And the engine opens the next message.
        let isPadded = 1...16 ~= last
        let opened = try Self.open(message, by: &engine)
        #expect(opened.verdict == (isPadded ? .authentic : .badPadding))
        #expect(opened.count == (isPadded ? 48 - Int(last) : 0))
    }

    /// Plaintext with wrong padding is authentic all the same: nothing of it may be left.
    @Test(arguments: [UInt8(0), 17, 255]) func wrongPaddingLeavesNothing(last: UInt8) throws {
        var engine = try Self.engine()
        let block = [UInt8](repeating: 7, count: 15) + [last]
        for _ in 0..<2 {
            let opened = try Self.open(try Self.message(endingWith: block), by: &engine)
            #expect(opened.verdict == .badPadding && opened.count == 0)
            #expect(opened.memory.prefix(48).allSatisfy { $0 == 0 }, "\(opened.memory.shortHex)")
        }
    }

    /// What is opened in parts ends as what is opened at once, and the tag covers all parts.
    @Test(arguments: [false, true], [false, true])
    func inParts(besideCaller: Bool, mayChange: Bool) throws {
        let plaintext = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let iv = [UInt8](repeating: 9, count: 16)
        func engine(_ direction: AESCipher.Direction) throws -> SplitEngine {
            try SplitEngine(
                direction, encryptionKey: Self.encryptionKey, hmacKey: Self.hmacKey, iv: iv,
                authenticating: Self.start + iv)
        }
        var writer = try engine(.encrypt)
        var message = Self.start + iv
        for part in [0..<1, 1..<50_000, 50_000..<50_000, 50_000..<100_000] {
            try message.appendBytes(capacity: part.count + 16) { (output) throws(OpenSSLError) in
                try writer.seal(
                    plaintext.rawSpan(part), into: &output, besideCaller: besideCaller)
            }
        }
        try message.appendBytes(capacity: 48) { (output) throws(OpenSSLError) in
            try writer.finishSealing(unhashedFrom: output.byteCount, into: &output)
        }
        var whole = try Self.engine()
        let opened = try Self.open(message, by: &whole)
        #expect(opened.verdict == .authentic)
        #expect(Array(opened.memory.prefix(opened.count)) == plaintext)

        for altered in [nil, 20, message.count - 1] {
            var received = message
            if let altered { received[altered] ^= 1 }
            var reader = try engine(.decrypt)
            let last = received.count - 48..<received.count - 32
            var parts: [UInt8] = []
            var lastBlock: [UInt8] = []
            for part in [18..<34, 34..<50_002, 50_002..<last.lowerBound] {
                try parts.appendBytes(capacity: part.count) { (output) throws(OpenSSLError) in
                    try reader.openUnverified(
                        received.rawSpan(part), mayChange: mayChange, into: &output,
                        besideCaller: besideCaller, lastBlock: &lastBlock)
                }
            }
            #expect(lastBlock == Array(received[last.lowerBound - 16..<last.lowerBound]))
            var verdict = MessageEnd.Verdict.badPadding
            try parts.appendBytes(capacity: 16) { (output) throws(OpenSSLError) in
                verdict = try reader.finishOpening(
                    received.rawSpan(last), after: lastBlock.rawSpan(lastBlock.indices),
                    tag: received.rawSpan(last.upperBound..<received.count), into: &output)
            }
            #expect(verdict == (altered == nil ? .authentic : .tagMismatch), "\(altered ?? -1)")
            if altered == nil { #expect(parts == plaintext) }
        }
    }
}
