import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// Every small alteration of one key message is refused, and for the right reason.
@Suite struct AlterationTests {
    private let credential: Credential
    private let message: [UInt8]

    init() throws {
        var generator = SeededGenerator()
        credential = .keys(try generator.keyPair())
        let header = Header(salts: nil, iv: generator.bytes(16))
        message = try Cryptor.encrypt(generator.bytes(40), with: credential, header: header)
    }

    private func check(_ altered: [UInt8], _ expected: CryptorError.Code, _ name: String) throws {
        let error = #expect(throws: CryptorError.self, "\(name), \(SeededGenerator())") {
            try Cryptor.decrypt(altered, with: credential)
        }
        #expect(error?.code == expected, "\(name), \(SeededGenerator())")
        for chunking in [Chunking.whole, .fixed(1), .fixed(17), .fixed(49)] {
            let reading = try ChunkedDecryption(altered, with: credential, chunking)
            #expect(reading.error?.code == expected, "\(name) \(chunking), \(SeededGenerator())")
            #expect(reading.last.isEmpty, "\(name) \(chunking), \(SeededGenerator())")
            #expect(reading.isSticky, "\(name) \(chunking), \(SeededGenerator())")
        }
    }

    @Test func theMessageItselfIsRead() throws {
        #expect(message.count == 18 + 48 + 32)
        #expect(try Cryptor.decrypt(message, with: credential).count == 40)
    }

    @Test func everyBitFlipped() throws {
        for bit in 0..<message.count * 8 {
            var altered = message
            altered[bit / 8] ^= 1 << (bit % 8)
            let expected: CryptorError.Code =
                switch bit / 8 {
                case 0 where altered[0] > 3: .unsupportedVersion
                case 0 where altered[0] < 2: .versionNotAccepted
                case 1 where altered[1] == 1: .credentialMismatch
                case 1: .unsupportedVersion
                default: .authenticationFailed
                }
            try check(altered, expected, "bit \(bit % 8) of byte \(bit / 8) flipped")
        }
    }

    @Test func everyTruncation() throws {
        for count in 0..<message.count {
            let expected: CryptorError.Code =
                count >= 66 && (count - 50) % 16 == 0 ? .authenticationFailed : .invalidMessageLength
            try check(Array(message.prefix(count)), expected, "cut to \(count) bytes")
        }
    }

    @Test func everyStartMissing() throws {
        // What is left starts with a random byte.
        for count in 2..<message.count {
            let rest = Array(message.dropFirst(count))
            #expect(throws: CryptorError.self, "the first \(count) bytes missing, \(SeededGenerator())") {
                try Cryptor.decrypt(rest, with: credential)
            }
        }
    }

    @Test func everyByteAppended() throws {
        for byte in UInt8.min...UInt8.max {
            try check(message + [byte], .invalidMessageLength, "\(byte) appended")
        }
    }

    @Test func blocksAppended() throws {
        var generator = SeededGenerator()
        for count in [16, 32, 48, 160] {
            try check(message + generator.bytes(count), .authenticationFailed, "\(count) bytes appended")
            try check(
                message + [UInt8](repeating: 0, count: count), .authenticationFailed, "\(count) zeros appended")
        }
        try check(message + message, .invalidMessageLength, "twice")
    }
}
