import CryptorTestSupport
import Foundation
import Testing

@testable import RNCryptorCompat

/// Misuse that ends the process, and the words with which it does.
@Suite struct CompatTrapTests {
    private static let misuses = [
        Misuse("RNCryptor: The password is empty") { _ = RNCryptor.encrypt(data: Data(), withPassword: "") },
        Misuse("RNCryptor: The password is empty") { _ = RNCryptor.EncryptorV3(password: "") },
        Misuse("RNCryptor: the password is empty") {
            _ = RNCryptor.FormatV3.makeKey(forPassword: "", withSalt: Data(count: 8))
        },
        Misuse("encryption key has 31 bytes") {
            _ = RNCryptor.DecryptorV3(encryptionKey: Data(count: 31), hmacKey: Data(count: 32))
        },
        Misuse("HMAC key has 33 bytes") {
            _ = RNCryptor.EncryptorV3(encryptionKey: Data(count: 32), hmacKey: Data(count: 33))
        },
        Misuse("-1 random bytes") { _ = RNCryptor.randomData(ofLength: -1) },
        Misuse("encryptor has finished") {
            let encryptor = RNCryptor.Encryptor(password: "a")
            _ = encryptor.finalData()
            _ = encryptor.update(withData: Data())
        },
        Misuse("encryptor has finished") {
            let encryptor = RNCryptor.EncryptorV3(encryptionKey: Data(count: 32), hmacKey: Data(count: 32))
            _ = encryptor.encrypt(data: Data())
            _ = encryptor.finalData()
        },
        Misuse("decryptor has finished") {
            let message = RNCryptor.encrypt(data: Data([1]), withPassword: "a")
            let decryptor = RNCryptor.Decryptor(password: "a")
            _ = try decryptor.decrypt(data: message)
            _ = try decryptor.decrypt(data: message)
        },
        Misuse("decryptor has finished") {
            let decryptor = RNCryptor.DecryptorV3(password: "a")
            _ = try decryptor.update(withData: RNCryptor.encrypt(data: Data([1]), withPassword: "a"))
            _ = try decryptor.finalData()
            _ = try decryptor.finalData()
        },
    ]

    @Test func eachEndsTheProcess() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Misuse.expectEnds(CompatTrapTests.misuses)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(result != nil && said.isEmpty, "\(said)")
    }
}
