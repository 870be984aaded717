import CryptorPrimitives
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Version 0: what opens its messages, and what can be altered in them unnoticed. That everything
/// else refuses them, vectors show.
@Suite struct Version0Tests {
    private var generator = SeededGenerator()

    private mutating func salts() -> MessageHeader.Salts {
        MessageHeader.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
    }

    private func code(_ message: [UInt8], _ credential: Credential) throws -> CryptorError.Code? {
        try caughtError { _ = try Cryptor.decryptVersion0(message, with: credential) }?.code
    }

    // MARK: Keyrings

    /// The shortest messages would be no password messages. Under a keyring, only keys are tried.
    @Test(arguments: [0, 5, 15, 16]) mutating func shortOnes(byteCount: Int) async throws {
        let keys = Secret.keys(encryption: generator.bytes(32), hmac: generator.bytes(32))
        let (password, pair) = (try Credential.password("right"), try keys.credential)
        let plaintext = generator.bytes(byteCount)
        let message = try Version0Writer(iv: generator.bytes(16)).message(of: plaintext, with: pair)
        for keyring in [
            try Credential.keyring(primary: password, previous: [pair]),
            try Credential.keyring(primary: pair, previous: [password]),
        ] {
            let trial = Trial(
                description: "\(byteCount) bytes", secret: keys, message: message,
                isOfVersion0: true, expected: .success(plaintext), keyring: keyring)
            try await trial.checkEveryWayIn()
            // Altered, they are wrong under both, whichever is tried first.
            var forged = trial.message
            forged[forged.count - 32] ^= 1
            #expect(try code(forged, keyring) == .authenticationFailed)
        }
        // Alone, a password fits none of them but the longest.
        let expected: CryptorError.Code =
            byteCount < 16 ? .invalidMessageLength : .authenticationFailed
        #expect(try code(message, password) == expected)
    }

    /// How short a message may be depends on what is in the keyring.
    @Test mutating func whatTheShortestHas() throws {
        let (password, keys) = (
            Credential.emptyPassword, Credential.keys(try generator.messageKeys())
        )
        for (credential, minimum) in [
            (password, 66), (keys, 50), (try .keyring(primary: password, previous: [keys]), 50),
        ] {
            let message = [0, 0, 1] + [UInt8](repeating: 0, count: minimum - 4)
            let error = try caughtError {
                _ = try Cryptor.decryptVersion0(message, with: credential)
            }
            #expect(error?.code == .invalidMessageLength)
            #expect(error?.description.contains("has \(minimum)") == true, "\(error as Any)")
            #expect(try code(message + [0], credential) == .authenticationFailed)
        }
    }

    /// A message of one kind, made with keys of the other kind: its salts are its IV.
    @Test(arguments: [true, false]) mutating func keysOfTheOtherKind(keysFirst: Bool) async throws {
        let password = Secret.password("old")
        let pair = Credential.keys(try generator.messageKeys())
        let salts = MessageHeader.Salts(encryption: Array(1...8), hmac: Array(9...16))
        let derived = try Credential.password("old").keys(salts)
        let old = try password.credential
        let trial = Trial(
            description: "keys first: \(keysFirst)", secret: password,
            message: try Version0Writer(iv: Array(1...16)).message(
                of: generator.bytes(100), keys: derived),
            isOfVersion0: true, expected: .failure(.authenticationFailed),
            keyring: try .keyring(
                primary: keysFirst ? pair : old, previous: [keysFirst ? old : pair]))
        try await trial.checkEveryWayIn()
    }

    @Test(arguments: OldVersionTests.readings)
    mutating func eachWritersBeginning(reading: (password: [UInt8], byteCounts: [Int])) throws {
        let credential = try Credential.password(utf8: reading.password)
        let shortened = try credential.withShortenedReadings()
        let plaintext = generator.bytes(100)
        for count in reading.byteCounts {
            let writer = try Credential.password(utf8: Array(reading.password.prefix(count)))
            let message = try Version0Writer(salts: salts(), iv: generator.bytes(16)).message(
                of: plaintext, with: writer)
            #expect(try Cryptor.decryptVersion0(message, with: shortened) == plaintext)
            let isWhole = count == reading.password.count
            #expect(try code(message, credential) == (isWhole ? nil : .authenticationFailed))
        }
        let wrong = try Credential.password(
            utf8: [reading.password[0] ^ 1] + reading.password.dropFirst())
        let message = try Version0Writer(salts: salts(), iv: generator.bytes(16)).message(
            of: plaintext, with: wrong)
        #expect(try code(message, shortened) == .authenticationFailed)
    }

    // MARK: The end and the header

    /// All bits behind the header matter, those of the zeros at the end as well.
    @Test mutating func whatIsAuthenticated() throws {
        let credential = Credential.keys(try generator.messageKeys())
        let plaintext = Array("Pay to: Margaret 100 francs".utf8)
        let message = try Version0Writer(iv: generator.bytes(16)).message(
            of: plaintext, with: credential)
        for bit in 16..<message.count * 8 {
            var altered = message
            altered[bit / 8] ^= 1 << (bit % 8)
            let isHeader = bit < 18 * 8
            #expect(
                try code(altered, credential) == (isHeader ? nil : .authenticationFailed),
                "bit \(bit), \(generator)")
            guard isHeader else { continue }
            #expect(try Cryptor.decryptVersion0(altered, with: credential) != plaintext)
        }
    }

    /// What does not end with twelve zeros is refused before a key is derived.
    @Test mutating func theZerosComeFirst() throws {
        let credential = try Credential.password("right")
        var message = try Version0Writer(salts: salts(), iv: generator.bytes(16)).message(
            of: generator.bytes(100), with: credential)
        #expect(DerivationCounter.count { _ = try? code(message, credential) } >= 2)
        message[message.count - 12] = 1
        #expect(try code(message, credential) == .authenticationFailed)
        #expect(DerivationCounter.count { _ = try? code(message, credential) } == 0)
    }

    /// Only byte 0 of the counter counts, modulo 256, so the keystream repeats after 4,096 bytes.
    @Test(arguments: [0, 1, 15, 16, 17, 4079, 4095, 4096, 4097, 8191, 8192, 8193, 100_000])
    mutating func everyLength(byteCount: Int) throws {
        let keys = try generator.messageKeys()
        let iv = [250] + generator.bytes(15)
        let plaintext = generator.bytes(byteCount)
        let message = try Version0Writer(iv: iv).message(of: plaintext, keys: keys)
        #expect(message.count == 18 + byteCount + 32)
        var keystream: [UInt8] = []
        for block in 0..<(byteCount + 15) / 16 {
            // CBC of one block, from an IV of zeros, is the block cipher alone.
            let counter = [UInt8(truncatingIfNeeded: 250 + block)] + iv.dropFirst()
            keystream += try BareCBC.encrypt(
                counter, key: keys.encryptionKey, iv: [UInt8](repeating: 0, count: 16)
            ).prefix(16)
        }
        let ciphertext = zip(plaintext, keystream).map { $0 ^ $1 }
        #expect(sameBytes(Array(message.dropFirst(18).dropLast(32)), ciphertext))
        #expect(try Cryptor.decryptVersion0(message, with: .keys(keys)) == plaintext)
    }

    // MARK: What 'inspect' shows

    @Test(arguments: [
        (49, nil), (50, 0...0), (65, 15...15), (66, 0...16), (100, 34...50),
    ])
    func howLongThePlaintextMayBe(byteCount: Int, expected: ClosedRange<Int>?) {
        var message = [UInt8](repeating: 0, count: byteCount)
        #expect(Cryptor.version0PlaintextByteCount(ofMessage: message) == expected)
        for offset in [0, 1, byteCount - 12, byteCount - 1] {
            message[offset] = 1
            #expect(Cryptor.version0PlaintextByteCount(ofMessage: message) == nil)
            message[offset] = 0
        }
        message[byteCount - 13] = 1
        #expect(Cryptor.version0PlaintextByteCount(ofMessage: message) == expected)
    }
}
