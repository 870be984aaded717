import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// The bytes of large work are the same on one thread and on two. These tests get a second thread
/// even if others use all cores.
@Suite struct LargeMessageTests {
    private let credential: Credential
    private let keys: MessageKeys
    private let header: MessageHeader
    private var generator = SeededGenerator()

    init() throws {
        Cores.pretendToHaveMore()
        keys = try generator.messageKeys()
        credential = .keys(keys)
        header = MessageHeader(salts: nil, iv: generator.bytes(16))
    }

    /// The message as OpenSSL's functions make it, one after the other.
    private func plainMessage(_ plaintext: [UInt8]) throws -> [UInt8] {
        let message =
            header.bytes + (try BareCBC.encrypt(plaintext, key: keys.encryptionKey, iv: header.iv))
        return message + (try BareHMAC.tag(of: message, key: keys.hmacKey))
    }

    /// Sizes around the one from which a second thread is used, and sizes that are not whole blocks
    /// or pieces.
    @Test(arguments: [262_143, 262_144, 262_145, 524_289, 1_500_001, 4_194_304, 5_145_745])
    func wholeAndInChunks(count: Int) throws {
        let plaintext = LongBytes.bytes(count)
        let expected = try plainMessage(plaintext)
        let message = try Cryptor.encrypt(plaintext, with: credential, header: header)
        #expect(firstDifference(message, expected) == nil, "\(generator)")
        #expect(
            firstDifference(try Cryptor.decrypt(message, with: credential), plaintext) == nil,
            "\(generator)")
        for chunking in [
            Chunking.fixed(65_536), .fixed(1_048_577), .split(min(count, 300_000)),
            .random(generator, maximum: 400_000),
        ] {
            let writing = try ChunkedEncryption(
                plaintext, with: credential, header: header, chunking)
            #expect(firstDifference(writing.message, expected) == nil, "\(chunking), \(generator)")
            let reading = try ChunkedDecryption(expected, with: credential, chunking)
            #expect(
                firstDifference(reading.verifiedPlaintext ?? [], plaintext) == nil,
                "\(chunking), \(generator)")
        }
        let cryptor = try KeyedCryptor(credential)
        let several = try cryptor.encryptAll([plaintext, plaintext]).map { try $0.get() }
        let found = try cryptor.decryptAll(several).map { try $0.get() }
        #expect(found.allSatisfy { sameBytes($0, plaintext) }, "\(generator)")
    }

    /// Under two pairs of keys, and altered, in memory that can be seen after the error.
    @Test mutating func underTwoPairsAndNone() throws {
        let plaintext = LongBytes.bytes(300_000)
        var message = try Cryptor.encrypt(plaintext, with: credential)
        let other = Credential.keys(try generator.messageKeys())
        for (first, second) in [(credential, other), (other, credential)] {
            let keyring = try Credential.keyring(primary: first, previous: [second])
            #expect(try sameBytes(Cryptor.decrypt(message, with: keyring), plaintext))
            #expect(try sameBytes(KeyedCryptor(keyring).decrypt(message), plaintext))
        }
        message[message.count - 1] ^= 1
        let keyBytes = keys.copyKeys()
        let trial = Trial(
            description: "altered",
            secret: .keys(encryption: keyBytes.encryptionKey, hmac: keyBytes.hmacKey),
            message: message, expected: .failure(.authenticationFailed))
        let error = try caughtError { _ = try WayIn.watched(trial, trial.credential) }
        #expect(error?.code == .authenticationFailed)
    }
}
