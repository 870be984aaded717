import Foundation
import Testing

@testable import RNCryptorCompat

/// Misuse that ends the process, and the words with which it does.
@Suite struct CompatTrapTests {
    private func expect(_ words: String, in results: [ExitTest.Result?], at location: SourceLocation = #_sourceLocation)
    {
        for result in results {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("RNCryptor: ") && text.contains(words), "\(text)", sourceLocation: location)
        }
    }

    @Test func encryptionWithAnEmptyPassword() async {
        expect(
            "password is empty",
            in: [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = RNCryptor.encrypt(data: Data(), withPassword: "")
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = RNCryptor.EncryptorV3(password: "")
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = RNCryptor.FormatV3.makeKey(forPassword: "", withSalt: Data(count: 8))
                },
            ])
    }

    @Test func otherLengths() async {
        let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RNCryptor.DecryptorV3(encryptionKey: Data(count: 31), hmacKey: Data(count: 32))
        }
        expect("encryption key has 31 bytes", in: [key])
        let hmacKey = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RNCryptor.EncryptorV3(encryptionKey: Data(count: 32), hmacKey: Data(count: 33))
        }
        expect("HMAC key has 33 bytes", in: [hmacKey])
        let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RNCryptor.randomData(ofLength: -1)
        }
        expect("-1 random bytes", in: [negative])
    }

    @Test func afterTheEnd() async {
        expect(
            "encryptor has finished",
            in: [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let encryptor = RNCryptor.Encryptor(password: "a")
                    _ = encryptor.finalData()
                    _ = encryptor.update(withData: Data())
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let encryptor = RNCryptor.EncryptorV3(encryptionKey: Data(count: 32), hmacKey: Data(count: 32))
                    _ = encryptor.encrypt(data: Data())
                    _ = encryptor.finalData()
                },
            ])
        expect(
            "decryptor has finished",
            in: [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let message = RNCryptor.encrypt(data: Data([1]), withPassword: "a")
                    let decryptor = RNCryptor.Decryptor(password: "a")
                    _ = try decryptor.decrypt(data: message)
                    _ = try decryptor.decrypt(data: message)
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let decryptor = RNCryptor.DecryptorV3(password: "a")
                    _ = try decryptor.update(withData: RNCryptor.encrypt(data: Data([1]), withPassword: "a"))
                    _ = try decryptor.finalData()
                    _ = try decryptor.finalData()
                },
            ])
    }
}
