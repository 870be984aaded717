import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// Every length around the boundaries of the block, the tag, and the pieces in which streams work.
@Suite struct RoundTripTests {
    private static let piece = 16 * 1024
    static let lengths: [Int] = {
        let boundaries = [8, 62, 63, 64, 256].map { $0 * 16 } + [1000, piece - 48, piece, 2 * piece, 3 * piece + 18]
        return Array(0...100) + boundaries.flatMap { [$0 - 1, $0, $0 + 1] }
    }()

    @Test func everyLength() throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        for length in Self.lengths {
            let plaintext = generator.bytes(length)
            let message = try Cryptor.encrypt(plaintext, with: credential)
            #expect(message.count == 18 + 16 * (length / 16 + 1) + 32)
            #expect(message.count == Encryptor.maximumOutputByteCount(for: length) - 16)
            let decrypted = try Cryptor.decrypt(message, with: credential)
            #expect(sameBytes(decrypted, plaintext), "\(length) bytes, \(generator)")
        }
    }

    @Test(arguments: [13, 61, 997, 16_383, 16_385])
    func everyLengthInOddChunks(of size: Int) throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        for length in Self.lengths {
            let plaintext = generator.bytes(length)
            for interface in StreamInterface.allCases {
                let written = try ChunkedEncryption(plaintext, with: credential, .fixed(size), through: interface)
                let reading = try ChunkedDecryption(written.message, with: credential, .fixed(size), through: interface)
                #expect(reading.error == nil, "\(length) bytes, \(generator)")
                #expect(sameBytes(reading.plaintext, plaintext), "\(length) bytes, \(generator)")
                let whole = try Cryptor.decrypt(written.message, with: credential)
                #expect(sameBytes(whole, plaintext), "\(length) bytes, \(generator)")
            }
        }
    }

    @Test(arguments: 0..<20)
    func randomChunks(round: Int) throws {
        var generator = SeededGenerator(seed: SeededGenerator.processSeed &+ UInt64(round))
        let credential = Credential.keys(try generator.keyPair())
        let plaintext = generator.bytes(Int.random(in: 0...60_000, using: &generator))
        let maximum = Int.random(in: 1...40_000, using: &generator)
        let written = try ChunkedEncryption(plaintext, with: credential, .random(generator, maximum: maximum))
        let reading = try ChunkedDecryption(written.message, with: credential, .random(generator, maximum: maximum))
        #expect(reading.error == nil, "\(plaintext.count) bytes, round \(round), \(generator)")
        #expect(sameBytes(reading.plaintext, plaintext), "\(plaintext.count) bytes, round \(round), \(generator)")
    }

    @Test(arguments: [0, 1, 15, 16, 17, 100])
    func passwordMessages(of length: Int) throws {
        var generator = SeededGenerator()
        let credential = try Credential.password("correct horse battery staple")
        let plaintext = generator.bytes(length)
        let message = try Cryptor.encrypt(plaintext, with: credential)
        #expect(message.count == Encryptor.maximumOutputByteCount(for: length))
        #expect(try Cryptor.decrypt(message, with: credential) == plaintext, "\(generator)")
    }

    @Test func saltsAndIVAreFresh() throws {
        let credential = try Credential.password("correct horse battery staple")
        var fields: [[UInt8]] = []
        for _ in 0..<10 {
            let header = try Header(parsing: try Cryptor.encrypt([], with: credential))
            let salts = try #require(header.salts)
            // The halves of the IVs are compared as well: an IV must not repeat a salt.
            fields += [salts.encryption, salts.hmac, Array(header.iv.prefix(8)), Array(header.iv.suffix(8))]
        }
        let keys = Credential.keys(try KeyPair.random())
        for _ in 0..<100 {
            let header = try Header(parsing: try Cryptor.encrypt([], with: keys))
            #expect(header.salts == nil)
            fields += [Array(header.iv.prefix(8)), Array(header.iv.suffix(8))]
        }
        #expect(Set(fields).count == fields.count)
    }
}
