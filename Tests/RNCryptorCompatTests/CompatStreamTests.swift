import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

@testable import RNCryptorCompat

/// Round trips, chunk by chunk and whole, and with CryptorFormat at the other end.
@Suite struct CompatStreamTests {
    private static let password = "correct horse battery staple"
    private static let lengths = [0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 1000, 100_003]
    private let encryptionKey = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
    private let hmacKey = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)

    private var secret: Secret { .keys(encryption: Array(encryptionKey), hmac: Array(hmacKey)) }

    private func plaintext(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator()
        return generator.bytes(count)
    }

    @Test(arguments: lengths)
    func oneCall(_ count: Int) throws {
        let plaintext = Data(plaintext(count))
        let message = RNCryptor.encrypt(data: plaintext, withPassword: Self.password)
        #expect(message.count == 34 + (count / 16 + 1) * 16 + 32)
        #expect(Array(message.prefix(2)) == [3, 1])
        #expect(try RNCryptor.decrypt(data: message, withPassword: Self.password) == plaintext)
    }

    @Test(arguments: lengths)
    func everyType(_ count: Int) throws {
        let plaintext = plaintext(count)
        let pairs: [(any RNCryptorType, any RNCryptorType)] = [
            (RNCryptor.Encryptor(password: Self.password), RNCryptor.Decryptor(password: Self.password)),
            (RNCryptor.EncryptorV3(password: Self.password), RNCryptor.DecryptorV3(password: Self.password)),
            (
                RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey),
                RNCryptor.DecryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey)
            ),
        ]
        for (encryptor, decryptor) in pairs {
            let random = Chunking.random(SeededGenerator(), maximum: 70)
            let writing = CompatReading(plaintext, with: encryptor, random)
            let message = Array(try #require(writing.plaintext))
            let reading = CompatReading(message, with: decryptor, .fixed(33))
            expect(reading.plaintext, is: plaintext, "\(type(of: decryptor)), \(count) bytes, \(random)")
        }
    }

    @Test func freshSaltsAndIV() {
        let messages = (0..<3).map { _ in RNCryptor.encrypt(data: Data([1]), withPassword: Self.password) }
        #expect(Set(messages.map { $0.subdata(in: 2..<10) }).count == 3)
        #expect(Set(messages.map { $0.subdata(in: 10..<18) }).count == 3)
        #expect(Set(messages.map { $0.subdata(in: 18..<34) }).count == 3)
    }

    /// The header comes with the first update, even with an empty one, as from RNCryptor.
    @Test func portionsOfAnEncryptor() {
        let encryptor = RNCryptor.Encryptor(password: Self.password)
        #expect(encryptor.update(withData: Data()).count == 34)
        #expect(encryptor.update(withData: Data(count: 15)).isEmpty)
        #expect(encryptor.update(withData: Data(count: 1)).count == 16)
        #expect(encryptor.update(withData: Data(count: 40)).count == 32)
        #expect(encryptor.finalData().count == 16 + 32)
    }

    /// `update` releases, unverified, all but the last 48 to 63 bytes.
    @Test func portionsOfADecryptor() throws {
        let message = RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey).encrypt(
            data: Data(plaintext(100)))
        let decryptor = secret.decryptorV3()
        #expect(try decryptor.update(withData: message.prefix(18)).isEmpty)
        #expect(try decryptor.update(withData: message.dropFirst(18)) == Data(plaintext(100).prefix(96)))
        #expect(try decryptor.finalData() == Data(plaintext(100).suffix(4)))
    }

    /// A slice of `Data` works although its first index is not 0.
    @Test func slices() throws {
        let plaintext = Data(plaintext(200))
        let padded = Data(repeating: 9, count: 5) + plaintext + Data(repeating: 9, count: 5)
        let encryptor = RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey)
        let message = encryptor.encrypt(data: padded.dropFirst(5).dropLast(5))
        let decryptor = secret.decryptorV3()
        var result = try decryptor.update(withData: message.prefix(70))
        result.append(try decryptor.update(withData: message.dropFirst(70)))
        result.append(try decryptor.finalData())
        #expect(result == plaintext)
    }

    @Test(arguments: lengths)
    func interop(_ count: Int) throws {
        let plaintext = plaintext(count)
        let credential = try Credential.password(Self.password)
        let theirs: Data = try Cryptor.encrypt(Data(plaintext), with: credential)
        expect(try RNCryptor.decrypt(data: theirs, withPassword: Self.password), is: plaintext, "\(count) bytes")
        let ours = RNCryptor.encrypt(data: Data(plaintext), withPassword: Self.password)
        expect(try Cryptor.decrypt(ours, with: credential) as Data, is: plaintext, "\(count) bytes")

        let keys = Credential.keys(try KeyPair(encryptionKey: encryptionKey, hmacKey: hmacKey))
        let sealed: Data = try Cryptor.encrypt(Data(plaintext), with: keys)
        expect(try secret.decryptorV3().decrypt(data: sealed), is: plaintext, "\(count) bytes, keys")
        let written = RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey).encrypt(
            data: Data(plaintext))
        expect(try Cryptor.decrypt(written, with: keys) as Data, is: plaintext, "\(count) bytes, keys")
    }

    @Test func randomData() {
        #expect(RNCryptor.randomData(ofLength: 0).isEmpty)
        #expect(RNCryptor.randomData(ofLength: 1).count == 1)
        let large = RNCryptor.randomData(ofLength: 2 << 20 | 3)
        #expect(large.count == 2 << 20 | 3)
        #expect(Set(large).count == 256)
        #expect(large.prefix(64) != large.suffix(64))
        #expect(large.subdata(in: 0..<64) != large.subdata(in: 1 << 20..<1 << 20 + 64))
    }

    @Test func sizes() {
        #expect(RNCryptor.FormatV3.keySize == 32)
        #expect(RNCryptor.FormatV3.saltSize == 8)
        #expect(V3.formatVersion == 3)
        #expect(V3.ivSize == 16)
        #expect(V3.hmacSize == 32)
        #expect(V3.keyHeaderSize == 18)
        #expect(V3.passwordHeaderSize == 34)
    }
}
