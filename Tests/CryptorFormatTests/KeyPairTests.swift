import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

@Suite struct KeyPairTests {
    @Test(arguments: [0, 1, 16, 31, 33, 64])
    func otherLengthsAreRefused(byteCount: Int) throws {
        let (right, wrong) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: byteCount))
        let first = #expect(throws: CryptorError.self) { try KeyPair(encryptionKey: wrong, hmacKey: right) }
        #expect(first?.code == .invalidCredential)
        #expect(
            first?.description.contains("encryption key has \(byteCount) bytes") == true, "\(String(describing: first))"
        )
        let second = #expect(throws: CryptorError.self) { try KeyPair(encryptionKey: right, hmacKey: wrong) }
        #expect(second?.code == .invalidCredential)
        #expect(
            second?.description.contains("HMAC key has \(byteCount) bytes") == true, "\(String(describing: second))")
    }

    @Test func keysComeBackAsTheyWere() throws {
        var generator = SeededGenerator()
        let (encryptionKey, hmacKey) = (generator.bytes(32), generator.bytes(32))
        let pairs = [
            try KeyPair(encryptionKey: encryptionKey, hmacKey: hmacKey),
            try KeyPair(encryptionKey: Data(encryptionKey), hmacKey: ([0] + hmacKey).dropFirst()),
            try KeyPair(encryptionKey: encryptionKey.lazy.map { $0 }, hmacKey: hmacKey.reversed().reversed()),
        ]
        for pair in pairs {
            #expect(pair.copyKeys().encryptionKey == encryptionKey, "\(generator)")
            #expect(pair.copyKeys().hmacKey == hmacKey, "\(generator)")
        }
    }

    @Test func randomKeysAreAllDistinct() throws {
        var keys = Set<[UInt8]>()
        for _ in 0..<100 {
            let (encryptionKey, hmacKey) = try KeyPair.random().copyKeys()
            #expect(encryptionKey.count == 32 && hmacKey.count == 32)
            keys.formUnion([encryptionKey, hmacKey])
        }
        #expect(keys.count == 200)
    }
}
