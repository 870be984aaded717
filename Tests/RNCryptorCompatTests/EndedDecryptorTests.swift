import Foundation
import Testing

@testable import RNCryptorCompat

/// Asking a decryptor for the end too early is an error, after which it accepts nothing.
@Suite struct EndedDecryptorTests {
    private let message = RNCryptor.encrypt(data: Data([1, 2, 3]), withPassword: "a")

    @Test func beforeTheFirstByte() {
        let decryptor = RNCryptor.Decryptor(password: "a")
        #expect(throws: RNCryptor.Error.unknownHeader) { try decryptor.finalData() }
        #expect(throws: RNCryptor.Error.unknownHeader) { try decryptor.update(withData: message) }
        #expect(throws: RNCryptor.Error.unknownHeader) { try decryptor.finalData() }
    }

    /// The header has 34 bytes.
    @Test(arguments: [1, 2, 33])
    func beforeTheEndOfTheHeader(count: Int) throws {
        let decryptors: [any RNCryptorType] = [
            RNCryptor.DecryptorV3(password: "a"), RNCryptor.Decryptor(password: "a"),
        ]
        for decryptor in decryptors {
            #expect(try decryptor.update(withData: message.prefix(count)).isEmpty)
            #expect(throws: RNCryptor.Error.messageTooShort) { try decryptor.finalData() }
            #expect(throws: RNCryptor.Error.messageTooShort) {
                try decryptor.update(withData: message.dropFirst(count))
            }
            #expect(throws: RNCryptor.Error.messageTooShort) { try decryptor.finalData() }
        }
    }
}
