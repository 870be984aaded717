import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct KeyDerivationTests {
    @Test(arguments: try VectorFolder.derivations())
    func derivesTheKey(of vector: DerivationVector) throws {
        #expect(vector.iterations == KeyDerivation.iterations)
        let password = SecretBytes(Array(vector.password.utf8))
        let key = try KeyDerivation.key(password: password, salt: vector.salt)
        #expect(key.plain.hex == vector.key.hex, "\(vector)")
    }

    @Test func bothKeysComeFromTheirOwnSalts() throws {
        let password = SecretBytes(Array("password".utf8))
        let (one, two) = ([UInt8](repeating: 1, count: 8), [UInt8](repeating: 2, count: 8))
        let keys = try KeyDerivation.keys(password: password, salts: Header.Salts(encryption: one, hmac: two))
        #expect(keys.encryptionKey.plain == (try KeyDerivation.key(password: password, salt: one).plain))
        #expect(keys.hmacKey.plain == (try KeyDerivation.key(password: password, salt: two).plain))
        #expect(keys.encryptionKey.plain != keys.hmacKey.plain)
    }

    @Test func keysOfManyMessagesAreThoseOfEach() throws {
        var sources = (0..<9).map { number in
            KeySource.password(
                SecretBytes(Array("password \(number / 2)".utf8)),
                Header.Salts(
                    encryption: [UInt8](repeating: UInt8(number), count: 8),
                    hmac: [UInt8](repeating: UInt8(100 + number), count: 8)))
        }
        // A pair of keys among the passwords stays in its place.
        sources.insert(.known(try .random()), at: 4)
        let all = try KeyDerivation.keys(for: sources)
        #expect(all.count == sources.count)
        for (keys, source) in zip(all, sources) {
            let alone = try source.keys()
            #expect(keys.encryptionKey.plain == alone.encryptionKey.plain)
            #expect(keys.hmacKey.plain == alone.hmacKey.plain)
        }
        #expect(try KeyDerivation.keys(for: []).isEmpty)
    }

    /// Other suites count on this counter to prove that nothing was derived.
    @Test func theCounterCounts() throws {
        let credential = try Credential.password("password")
        let writing = try DerivationCounter.count { _ = try Encryptor(credential) }
        #expect(writing >= 2)
        let message = try Cryptor.encrypt([1, 2, 3], with: credential)
        let reading = try DerivationCounter.count { _ = try Cryptor.decrypt(message, with: credential) }
        #expect(reading >= 2)
        let streaming = try DerivationCounter.count { _ = try ChunkedDecryption(message, with: credential, .fixed(1)) }
        #expect(streaming >= 2)
    }
}
