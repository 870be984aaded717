import CryptorTestSupport
import Synchronization
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Bytes that count how often they are read one by one. A caller can ask for their memory instead.
private struct CountedBytes: RandomAccessCollection, Sendable {
    let bytes: [UInt8]
    let looks = Tally()

    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }
    subscript(index: Int) -> UInt8 {
        looks.add()
        return bytes[index]
    }
    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try bytes.withContiguousStorageIfAvailable(body)
    }
}

/// Generic code is unspecialised when other modules call it, and a witness call for each byte costs as much as all the
/// rest. Each function asks for the memory, and reads no byte by itself.
@Suite struct GenericEntryTests {
    private let credential = Result { Credential.keys(try KeyPair.random()) }

    private func check(_ bytes: [UInt8], _ name: String, _ work: (CountedBytes) throws -> Void) throws {
        let counted = CountedBytes(bytes: bytes)
        try work(counted)
        #expect(counted.looks.count < 100, "\(name)")
    }

    @Test func noEntryLooksAtEachByte() async throws {
        let credential = try credential.get()
        guard case .keys(let keys) = credential.kind else { return }
        let plaintext = LongBytes.bytes(20_000)
        let message = try Cryptor.encrypt(plaintext, with: credential)
        let text = Cryptor.base64Text(of: message)
        let keyed = try KeyedCryptor(keys)
        try check(plaintext, "encrypt") { _ = try Cryptor.encrypt($0, with: credential) }
        try check(message, "decrypt") { _ = try Cryptor.decrypt($0, with: credential) }
        try check(plaintext, "encryptAll") { _ = Cryptor.encryptAll([$0, $0], with: credential) }
        try check(message, "decryptAll") { _ = Cryptor.decryptAll([$0, $0], with: credential) }
        try check(plaintext, "keyed encrypt") { _ = try keyed.encrypt($0) }
        try check(message, "keyed decrypt") { _ = try keyed.decrypt($0) }
        try check(plaintext, "keyed encryptAll") { _ = keyed.encryptAll([$0, $0]) }
        try check(message, "keyed decryptAll") { _ = keyed.decryptAll([$0, $0]) }
        try check(message, "base64Text") { _ = Cryptor.base64Text(of: $0) }
        try check(text, "message(fromBase64:)") { _ = try Cryptor.message(fromBase64: $0) }
        try check(text, "looks like base64") { text in
            #expect(throws: CryptorError.self) { try Cryptor.decrypt(text, with: credential) }
        }
        try check(message, "Header") { _ = try Header(parsing: $0) }
        try check(LongBytes.bytes(32), "KeyPair") { _ = try KeyPair(encryptionKey: $0, hmacKey: $0) }
        try check(LongBytes.bytes(3000), "password") { _ = try Credential.password(utf8: $0) }
        try check(plaintext, "Encryptor") { plaintext in
            var encryptor = try Encryptor(credential)
            var output: [UInt8] = []
            try encryptor.update(plaintext, into: &output)
            try encryptor.finish(into: &output)
        }
        try check(message, "Decryptor") { message in
            var decryptor = try Decryptor(credential)
            var output: [UInt8] = []
            try decryptor.update(message, unverifiedInto: &output)
            try decryptor.finish(into: &output)
        }
        for (bytes, decrypts) in [(plaintext, false), (message, true)] {
            let counted = CountedBytes(bytes: bytes)
            let source = AsyncStream<CountedBytes> { continuation in
                continuation.yield(counted)
                continuation.finish()
            }
            if decrypts {
                for try await _ in source.decryptedUnverified(with: credential) {}
                _ = try await CryptorPool.shared.decrypt(counted, with: credential)
            } else {
                for try await _ in source.encrypted(with: credential) {}
                _ = try await CryptorPool.shared.encrypt(counted, with: credential)
            }
            #expect(counted.looks.count < 100, "streams, \(decrypts): \(counted.looks.count) looks")
        }
        let counted = CountedBytes(bytes: message)
        let source = AsyncStream<CountedBytes> { continuation in
            continuation.yield(counted)
            continuation.finish()
        }
        _ = try await Cryptor.decrypt(collecting: source, upTo: 1 << 20, with: credential)
        #expect(counted.looks.count < 100, "collecting: \(counted.looks.count) looks")
    }
}
