import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// `encryptAll` writes for each plaintext what `encrypt` writes.
@Suite struct EncryptAllTests {
    private static let counts = [0, 1, 3, 4, 5, 16, 17, 33]

    private var generator = SeededGenerator()

    private mutating func plaintexts(_ count: Int) -> [[UInt8]] {
        (0..<count).map { _ in generator.bytes(Int.random(in: 0...70, using: &generator)) }
    }

    @Test(arguments: counts, [false, true])
    mutating func eachIsWhatEncryptWrites(count: Int, password: Bool) throws {
        let credential = password ? try Credential.password("pässwörd") : .keys(try generator.keyPair())
        let plaintexts = plaintexts(count)
        let results = Cryptor.encryptAll(plaintexts, with: credential)
        try #require(results.count == count)
        for (index, result) in results.enumerated() {
            let message = try result.get()
            let alone = try Cryptor.encrypt(
                plaintexts[index], with: credential, header: try Header(parsing: message))
            #expect(message == alone, "message \(index) of \(count), \(generator)")
        }
    }

    @Test(arguments: counts)
    mutating func manyMessages(count: Int) throws {
        let credential = try Credential.password("correct horse battery staple")
        let plaintexts = plaintexts(count)
        let messages = try Cryptor.encryptAll(plaintexts, with: credential).map { try $0.get() }
        #expect(try messages.map { try Cryptor.decrypt($0, with: credential) } == plaintexts, "\(generator)")
        let fields = try messages.flatMap { message in
            let header = try Header(parsing: message)
            let salts = try #require(header.salts)
            return [salts.encryption, salts.hmac, Array(header.iv.prefix(8)), Array(header.iv.suffix(8))]
        }
        #expect(Set(fields).count == 4 * count, "salts and IV are fresh")
    }

    /// Messages that are large enough for two threads come out right.
    @Test mutating func largeMessages() throws {
        let credential = Credential.keys(try generator.keyPair())
        let plaintexts = (0..<3).map { LongBytes.bytes(600_000 + $0) }
        let messages = try Cryptor.encryptAll(plaintexts, with: credential)
            .map { try $0.get() }
        let read = try Cryptor.decryptAll(messages, with: credential).map { try $0.get() }
        for (index, plaintext) in plaintexts.enumerated() { #expect(sameBytes(read[index], plaintext)) }
    }

    @Test func anyCollection() throws {
        let credential = try Credential.password("correct horse battery staple")
        let plaintexts: [[UInt8]] = [[1], [], [2, 3]]
        func check<Plaintext: Collection<UInt8>>(_ plaintexts: some Collection<Plaintext>) throws {
            let results: [Result<[UInt8], CryptorError>] = Cryptor.encryptAll(plaintexts, with: credential)
            let read = try results.map { try Cryptor.decrypt(try $0.get(), with: credential) }
            #expect(read == [[1], [], [2, 3]], "\(type(of: plaintexts))")
        }
        try check(plaintexts)
        try check(([[9]] + plaintexts)[1...])
        try check(plaintexts.map { ([7, 7] + $0).dropFirst(2) })
        try check(plaintexts.lazy.map { $0.lazy.map { $0 } })
        try check(plaintexts.map { Data($0) })
    }
}
