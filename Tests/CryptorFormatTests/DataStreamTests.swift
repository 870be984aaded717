import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// One pair of keys, and streams, take `Data` and return `Data`.
@Suite struct DataStreamTests {
    private let keys: KeyPair

    init() throws { keys = try KeyPair.random() }

    /// Data that is a part of other data, so that its first index is not 0.
    private func data(_ byteCount: Int) -> Data { (Data([9, 9, 9]) + Data(LongBytes.bytes(byteCount))).dropFirst(3) }

    @Test(arguments: [0, 1, 15, 16, 1000, 100_000]) func underOnePairOfKeys(byteCount: Int) throws {
        let cryptor = try KeyedCryptor(keys)
        let plaintext = data(byteCount)
        let message: Data = try cryptor.encrypt(plaintext)
        #expect(try Cryptor.decrypt(message, with: .keys(keys)) == plaintext)
        let found: Data = try cryptor.decrypt((Data([1]) + message).dropFirst())
        #expect(found == plaintext)
        var altered = message
        altered[20] ^= 1
        let error = #expect(throws: CryptorError.self) { () -> Data in try cryptor.decrypt(altered) }
        #expect(error?.code == .authenticationFailed)
        #expect(throws: CryptorError.self) { () -> Data in try cryptor.decrypt(Data()) }
    }

    @Test(arguments: [0, 1, 1000, 100_000], [7, 4096, 200_000])
    func inChunks(byteCount: Int, chunk: Int) throws {
        let plaintext = data(byteCount)
        var message = Data([1, 2])
        var encryptor = try Encryptor(.keys(keys))
        for start in stride(from: 0, to: byteCount, by: chunk) {
            try encryptor.update(plaintext.dropFirst(start).prefix(chunk), into: &message)
        }
        try encryptor.finish(into: &message)
        #expect(message.prefix(2) == Data([1, 2]), "it is appended")
        message = message.dropFirst(2)
        #expect(try Cryptor.decrypt(message, with: .keys(keys)) == plaintext)
        var found = Data([3])
        var decryptor = try Decryptor(.keys(keys))
        for start in stride(from: 0, to: message.count, by: chunk) {
            try decryptor.update(message.dropFirst(start).prefix(chunk), unverifiedInto: &found)
        }
        try decryptor.finish(into: &found)
        #expect(found == Data([3]) + plaintext)
    }

    /// If a stream was altered, `finish` throws, and appends nothing.
    @Test func anAlteredStream() throws {
        var message = try Cryptor.encrypt(data(1000), with: .keys(keys))
        message[500] ^= 1
        var decryptor = try Decryptor(.keys(keys))
        var found = Data()
        try decryptor.update(message, unverifiedInto: &found)
        let count = found.count
        var error: CryptorError?
        do throws(CryptorError) { try decryptor.finish(into: &found) } catch let failure { error = failure }
        #expect(error?.code == .authenticationFailed && found.count == count)
    }
}
