import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The bytes of large work are the same on one thread and on two, and lengths over 2 GiB are right. These tests get a
/// second thread even if others use all cores.
@Suite struct LargeMessageTests {
    private let credential: Credential
    private let keys: KeyPair
    private let header: Header
    private var generator = SeededGenerator()

    init() throws {
        Cores.pretendToHaveMore()
        keys = try generator.keyPair()
        credential = .keys(keys)
        header = Header(salts: nil, iv: generator.bytes(16))
    }

    /// The message as OpenSSL's functions make it, one after the other.
    private func plainMessage(_ plaintext: [UInt8]) throws -> [UInt8] {
        var message = header.bytes + (try BareCBC.encrypt(plaintext, key: keys.encryptionKey, iv: header.iv))
        var authenticator = try HMACAuthenticator(key: keys.hmacKey)
        try authenticator.update(message)
        message += try authenticator.finish()
        return message
    }

    /// Sizes around the one from which a second thread is used, and sizes that are not whole blocks or pieces.
    @Test(arguments: [262_143, 262_144, 262_145, 524_289, 1_500_001, 4_194_304, 5_145_745])
    func wholeAndInChunks(count: Int) throws {
        let plaintext = LongBytes.bytes(count)
        let expected = try plainMessage(plaintext)
        let message = try Cryptor.encrypt(plaintext, with: credential, header: header)
        #expect(firstDifference(message, expected) == nil, "\(generator)")
        #expect(firstDifference(try Cryptor.decrypt(message, with: credential), plaintext) == nil, "\(generator)")
        for chunking in [Chunking.fixed(65_536), .fixed(600_000), .fixed(1_048_577)] {
            let writing = try ChunkedEncryption(plaintext, with: credential, header: header, chunking)
            #expect(firstDifference(writing.message, expected) == nil, "\(chunking), \(generator)")
            let reading = try ChunkedDecryption(expected, with: credential, chunking)
            #expect(firstDifference(reading.verifiedPlaintext ?? [], plaintext) == nil, "\(chunking), \(generator)")
        }
        let several = try Cryptor.encryptAll([plaintext, plaintext], with: credential).map { try $0.get() }
        let found = try Cryptor.decryptAll(several, with: credential).map { try $0.get() }
        #expect(found.allSatisfy { sameBytes($0, plaintext) }, "\(generator)")
    }

    // MARK: More than 2 GiB

    /// The last block and the HMAC, computed with Python's hmac and pycryptodome: both streams could be wrong alike.
    private static let expectedEnd =
        "8da1e80e83ae1d6c731a4653db43138a556357d2b2dc988ea2f1b02558c18f3c8aa94ed96b74ec252af7648efb67095b"

    /// More than `Int32.max` bytes go through both streams in lockstep, and neither keeps them.
    @Test func moreThanTwoGiB() throws {
        // No power of two divides the period, so that no misplaced chunk looks like another.
        let (byteCount, chunk, period) = ((2 << 30) + (17 << 20), 1 << 20, (1 << 20) + 4099)
        var seeded = SeededGenerator(seed: 1)
        let start = seeded.bytes(4099)
        var pattern: [UInt8] = []
        while pattern.count < period {
            let salt = UInt8(truncatingIfNeeded: pattern.count / start.count)
            pattern += start.map { $0 ^ salt }
        }
        pattern.removeLast(pattern.count - period)
        pattern += pattern + Array(pattern.prefix(64))

        let credential = Credential.keys(try KeyPair(encryptionKey: Array(0..<32), hmacKey: Array(32..<64)))
        var encryptor = try Encryptor(credential, header: Header(salts: nil, iv: Array(64..<80)))
        var decryptor = try Decryptor(credential)
        var (message, plaintext): ([UInt8], [UInt8]) = ([], [])
        var (fed, written, released) = (0, 0, 0)
        func takePlaintext() throws {
            let offset = released % period
            try #require(sameBytes(plaintext, pattern[offset..<offset + plaintext.count]), "after \(released) bytes")
            released += plaintext.count
            plaintext.removeAll(keepingCapacity: true)
        }
        while fed < byteCount {
            let offset = fed % period
            message.removeAll(keepingCapacity: true)
            try encryptor.update(pattern[offset..<offset + chunk], into: &message)
            try decryptor.update(message, unverifiedInto: &plaintext)
            fed += chunk
            written += message.count
            try takePlaintext()
            try #require(fed - released < 100, "held back after \(fed) bytes")
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        #expect(message.hex == Self.expectedEnd)
        try decryptor.update(message, unverifiedInto: &plaintext)
        try decryptor.finish(into: &plaintext)
        try takePlaintext()
        #expect(released == byteCount && written + message.count == byteCount + 18 + 16 + 32)
    }
}
