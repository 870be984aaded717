import CryptorFormat
import CryptorTestSupport
import Testing

/// Every small alteration of a message is refused, for the right reason. CBC alone protects
/// nothing: who knows the text of a payment order can change its payee without any key. The HMAC
/// over header and ciphertext prevents that.
@Suite(.unlessItHangs) struct AlterationTests {
    private let keys: MessageKeys
    private let credential: Credential
    private let message: [UInt8]
    private var generator = SeededGenerator()

    init() throws {
        keys = try generator.messageKeys()
        credential = .keys(keys)
        message = try Cryptor.encrypt(
            generator.bytes(40), with: credential,
            header: MessageHeader(salts: nil, iv: generator.bytes(16)))
    }

    /// Refused as a whole, by streams, and by sequences. The error stays, and nothing comes with
    /// it.
    private func check(
        _ altered: [UInt8], _ expected: CryptorError.Code, _ name: String,
        with credential: Credential? = nil
    ) async throws {
        let credential = credential ?? self.credential
        let error = try caughtError { _ = try Cryptor.decrypt(altered, with: credential) }
        #expect(error?.code == expected, "\(name), \(generator)")
        for chunking in [Chunking.whole, .fixed(1), .fixed(17), .fixed(49)] {
            let reading = try ChunkedDecryption(altered, with: credential, chunking)
            #expect(reading.error?.code == expected, "\(name) \(chunking), \(generator)")
            #expect(reading.last.isEmpty && reading.isSticky, "\(name) \(chunking), \(generator)")
        }
        for chunking in [Chunking.padded(16), .random(generator, maximum: 70)] {
            let source = ChunkSource(chunking.chunks(of: altered))
            let reading = await ReadSequence(source.decryptedUnverified(with: credential))
            #expect(
                reading.code == expected && reading.isSticky,
                "\(name), sequence \(chunking): \(reading.later)")
        }
    }

    @Test func everyBitFlipped() async throws {
        let cryptor = try KeyedCryptor(keys)
        for bit in 0..<message.count * 8 {
            var altered = message
            altered[bit / 8] ^= 1 << (bit % 8)
            let expected: CryptorError.Code =
                switch bit / 8 {
                case 0 where altered[0] > 3: .unsupportedVersion
                case 0 where altered[0] < 2: .versionNotAccepted
                case 1 where altered[1] == 1: .credentialMismatch
                case 1: Fault.unsupportedOptions.code
                default: .authenticationFailed
                }
            try await check(altered, expected, "bit \(bit % 8) of byte \(bit / 8) flipped")
            // After an error, the next message of a `KeyedCryptor` is right.
            #expect(
                try caughtError { _ = try cryptor.decrypt(altered) }?.code == expected, "bit \(bit)"
            )
            #expect(try cryptor.decrypt(message).count == 40, "after bit \(bit)")
        }
    }

    @Test mutating func everyTruncationAndWhatIsAppended() async throws {
        for count in 0..<message.count {
            let fault: Fault =
                count < 66
                ? .messageTooShort
                : (count - 50) % 16 == 0 ? .authenticationFailed : .invalidMessageLength
            try await check(Array(message.prefix(count)), fault.code, "cut to \(count) bytes")
            // What is left starts with a random byte.
            let rest = Array(message.dropFirst(max(2, count)))
            #expect(throws: CryptorError.self, "without \(count) bytes") {
                try Cryptor.decrypt(rest, with: credential)
            }
        }
        for byte in UInt8.min...UInt8.max {
            try await check(message + [byte], Fault.invalidMessageLength.code, "\(byte) appended")
        }
        for count in [16, 32, 48, 160] {
            for more in [generator.bytes(count), [UInt8](repeating: 0, count: count)] {
                try await check(message + more, .authenticationFailed, "\(more.shortHex) appended")
            }
        }
        try await check(message + message, Fault.invalidMessageLength.code, "twice")
    }
}
