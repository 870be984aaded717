import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

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
        for chunking in [Chunking.fixed(65_536), .fixed(1_048_577), .random(generator, maximum: 400_000)] {
            let writing = try ChunkedEncryption(plaintext, with: credential, header: header, chunking)
            #expect(firstDifference(writing.message, expected) == nil, "\(chunking), \(generator)")
            let reading = try ChunkedDecryption(expected, with: credential, chunking)
            #expect(firstDifference(reading.verifiedPlaintext ?? [], plaintext) == nil, "\(chunking), \(generator)")
        }
        let cryptor = try KeyedCryptor(credential)
        let several = try cryptor.encryptAll([plaintext, plaintext]).map { try $0.get() }
        let found = try cryptor.decryptAll(several).map { try $0.get() }
        #expect(found.allSatisfy { sameBytes($0, plaintext) }, "\(generator)")
    }

    // MARK: More than 2 GiB

    /// More than `Int32.max` bytes go through both streams in lockstep, and neither keeps them. The last block and the
    /// HMAC are those that Python's hmac and cryptography compute: both streams could be wrong alike.
    @Test func moreThanTwoGiB() throws {
        let (chunkCount, chunk) = (2065, (0..<1 << 20).map { UInt8(truncatingIfNeeded: ($0 * 31) >> 5) })
        let credential = Credential.keys(try KeyPair(encryptionKey: Array(0..<32), hmacKey: Array(32..<64)))
        var encryptor = try Encryptor(credential, header: Header(salts: nil, iv: Array(64..<80)))
        var decryptor = try Decryptor(credential)
        var (message, plaintext): ([UInt8], [UInt8]) = ([], [])
        for number in 0..<chunkCount {
            message.removeAll(keepingCapacity: true)
            try encryptor.update(chunk, into: &message)
            // All but a block is still to come: the stream holds back the tail.
            try decryptor.update(message, unverifiedInto: &plaintext)
            let count = min(plaintext.count, chunk.count)
            try #require(plaintext.count < 2 << 20 && plaintext.count > (number == 0 ? 0 : chunk.count - 1))
            try #require(sameBytes(plaintext.prefix(count), chunk.prefix(count)), "chunk \(number)")
            if count == chunk.count { plaintext.removeFirst(count) }
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        #expect(
            message.hex == "7e4e2c8e9e2ddccdc58cfb691c1c788600b61b706a8aff3d78e5f99fb52f1aee"
                + "2ed269f29a4b798d9296507a9639b66a")
        try decryptor.update(message, unverifiedInto: &plaintext)
        try decryptor.finish(into: &plaintext)
        #expect(sameBytes(plaintext, chunk))
    }
}
