import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFormat

/// Keyrings, rotation, cryptors under a password, numbers of iterations.
@Suite(.unlessItHangs) struct KeyringTests {
    /// What a keyring has to do with the credential that a message was written with.
    enum Role: CaseIterable { case primary, previous, absent, amongTheOtherKind, forged }

    private static let plaintext = Array(
        "Give every reader the new key first, then write under it.".utf8)
    private static let secrets: [(secret: Secret, others: [Secret])] = [
        (.password("right"), [.password("wrong"), .password("older")]),
        (keys(1), [keys(2), keys(3)]),
    ]

    private static func keys(_ number: UInt8) -> Secret {
        .keys(
            encryption: [UInt8](repeating: number, count: 32),
            hmac: [UInt8](repeating: number &+ 100, count: 32))
    }

    private static func message(
        _ version: FormatVersion, _ credential: Credential, _ generator: inout SeededGenerator
    ) throws -> [UInt8] {
        let salts = MessageHeader.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
        let header = MessageHeader(
            version: version, salts: credential.writesUnderPassword ? salts : nil,
            iv: generator.bytes(16))
        return try Cryptor.encrypt(plaintext, with: credential, header: header)
    }

    private static func messageOfVersion0(
        _ credential: Credential, _ generator: inout SeededGenerator
    ) throws -> [UInt8] {
        let salts = MessageHeader.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
        let writer = Version0Writer(
            salts: credential.writesUnderPassword ? salts : nil, iv: generator.bytes(16))
        return try writer.message(of: plaintext, with: credential)
    }

    // MARK: Reading

    @Test(arguments: Role.allCases, [3, 2, 1, 0] as [UInt8])
    func everyWayIn(role: Role, version: UInt8) async throws {
        var generator = SeededGenerator()
        for (index, (secret, others)) in Self.secrets.enumerated() {
            let (right, wrong) = (try secret.credential, try others.map { try $0.credential })
            let kind = try Self.secrets[1 - index].others.map { try $0.credential }
            var message =
                try FormatVersion(rawValue: version).map { version in
                    try Self.message(version, right, &generator)
                } ?? Self.messageOfVersion0(right, &generator)
            let keyring: Credential
            switch role {
            case .primary, .forged: keyring = try .keyring(primary: right, previous: wrong + kind)
            case .previous:
                keyring = try .keyring(primary: wrong[0], previous: kind + [right, wrong[1]])
            case .absent: keyring = try .keyring(primary: wrong[0], previous: kind + [wrong[1]])
            case .amongTheOtherKind:
                keyring = try .keyring(primary: kind[0], previous: [right, kind[1]])
            }
            if role == .forged { message[message.count - 40] ^= 1 }
            let isRefused = [.absent, .forged].contains(role)
            let trial = Trial(
                description:
                    "\(role), version \(version), \(secret.isPassword ? "password" : "keys")",
                secret: secret, message: message, isOfVersion0: version == 0,
                expected: isRefused ? .failure(.authenticationFailed) : .success(Self.plaintext),
                keyring: keyring)
            try await trial.checkEveryWayIn()
            if version == 0 { try await trial.elsewhere.checkEveryWayIn() }
            let streamed = version == 0 ? trial.elsewhere : trial
            for chunking in [Chunking.whole, .fixed(1), .fixed(33)] {
                let flaw = streamed.flaw(in: try streamed.stream(chunking), isStream: true)
                #expect(flaw == nil, "\(streamed), stream \(chunking), \(generator)")
            }
            guard !isRefused, version > 0 else { continue }
            let position = [.primary: 0, .previous: 3, .amongTheOtherKind: 1][role]
            for opened in [
                try Cryptor.open(message, with: keyring, accepting: .everything),
                try KeyedCryptor(keyring).open(message, accepting: .everything),
                try await CryptorPool.shared.open(message, with: keyring, accepting: .everything),
            ] {
                #expect(
                    opened.credentialIndex == position && opened.plaintext == Self.plaintext,
                    "\(trial)")
                #expect(opened.needsRotation == (position != 0 || version != 3), "\(trial)")
            }
        }
    }

    @Test(arguments: [true, false]) func theLastOfThirtyTwo(isPassword: Bool) throws {
        let all = try (1...33).map { (number: UInt8) -> Credential in
            try isPassword ? .password("password \(number)") : Self.keys(number).credential
        }
        let keyring = try Credential.keyring(
            primary: all[0], previous: Array(all[1..<32]) + [all[0]])
        let message = try Cryptor.encrypt(Self.plaintext, with: all[31])
        #expect(try Cryptor.open(message, with: keyring).credentialIndex == 31)
        #expect(try KeyedCryptor(keyring).open(message).credentialIndex == 31)
        let error = try caughtError {
            _ = try Credential.keyring(primary: all[0], previous: Array(all[1...]))
        }
        #expect(error?.code == .invalidKeyring, "33 credentials")
    }

    @Test func whatIsNoKeyring() throws {
        let (one, two) = (try Credential.password("pässword"), try Credential.password("two"))
        let hmac = [UInt8](repeating: 7, count: 32)
        let pairs = try [1, 2].map { (byte: UInt8) in
            Credential.keys(
                try MessageKeys(encryptionKey: [UInt8](repeating: byte, count: 32), hmacKey: hmac))
        }
        let slow = try ["a", "b", "c"].map { try Credential.password($0, iterations: 10_000_000) }
        let refused: [(Credential, [Credential])] = [
            (try .keyring(primary: one, previous: [two]), []),
            (one, [try .keyring(primary: one, previous: [two])]),
            (pairs[0], [pairs[1]]), (one, pairs), (one.shortenedReadings[0], [one]),
            (slow[0], Array(slow[1...])),
            (slow[0], [slow[1], one]), (slow[0], [slow[1], try .password("d", iterations: 1)]),
        ]
        for (number, (primary, previous)) in refused.enumerated() {
            let error = try caughtError {
                _ = try Credential.keyring(primary: primary, previous: previous)
            }
            #expect(error?.code == .invalidKeyring, "number \(number)")
        }
        // What is there twice counts once, and its first place counts.
        let keyring = try Credential.keyring(
            primary: slow[0], previous: [slow[0], slow[1], slow[1]])
        #expect(keyring.candidates.map(\.index) == [0, 2])
        #expect(try Credential.keyring(primary: one, previous: []).candidates.count == 1)
        // The same keys twice are no collision, and one password with two numbers of iterations is
        // two.
        _ = try Credential.keyring(primary: pairs[0], previous: [pairs[0], slow[0], slow[1]])
        let counts = try Credential.keyring(
            primary: .password("a"), previous: [.password("a", iterations: 10_001)])
        #expect(counts.candidates.count == 2)
    }

    // MARK: Rotation

    @Test(arguments: [0, 1]) func rotates(index: Int) async throws {
        let (secret, others) = Self.secrets[index]
        let (old, new) = (try secret.credential, try others[0].credential)
        let keyring = try Credential.keyring(primary: new, previous: [old])
        let cryptor = try KeyedCryptor(keyring)
        let message = try Cryptor.encrypt(Self.plaintext, with: old)
        let pool = CryptorPool.shared
        let ways: [([UInt8]) async throws -> [UInt8]?] = [
            { try Cryptor.rotate($0, with: keyring) },
            { (try Cryptor.rotate(Data($0), with: keyring) as Data?).map { Array($0) } },
            { try cryptor.rotate($0) },
            { (try cryptor.rotate(Data($0)) as Data?).map { Array($0) } },
            { try await pool.rotate($0, with: keyring) },
            { (try await pool.rotate(Data($0), with: keyring) as Data?).map { Array($0) } },
        ]
        var forged = message
        forged[forged.count - 1] ^= 1
        for (number, rotate) in ways.enumerated() {
            let rotated = try #require(try await rotate(message), "way \(number)")
            #expect(try Cryptor.decrypt(rotated, with: new, accepting: [.v3]) == Self.plaintext)
            #expect(try await rotate(rotated) == nil, "way \(number)")
            let error = try await Outcome { try await rotate(forged) ?? [] }.error
            #expect(error?.code == .authenticationFailed, "way \(number)")
        }
    }

    @Test func rotatesAFileOnce() async throws {
        let directory = try TemporaryDirectory()
        let (old, new) = (try Self.keys(1).credential, try Self.keys(2).credential)
        let keyring = try Credential.keyring(primary: new, previous: [old])
        let path = directory.path("message")
        try directory.write(try Cryptor.encrypt(Self.plaintext, with: old), to: "message")
        let rotate = { try Cryptor.rotateFile(at: path, with: keyring) }
        #expect(try rotate())
        let written = try directory.read("message")
        #expect(try Cryptor.decrypt(written, with: new) == Self.plaintext)
        #expect(try !rotate())
        #expect(try await !CryptorPool.shared.rotateFile(at: path, with: keyring))
        #expect(try directory.read("message") == written && directory.names() == ["message"])
    }

    // MARK: Iterations

    @Test func iterationsAreAgreedOn() throws {
        let plaintext = Self.plaintext
        let message = try Cryptor.encrypt(plaintext, with: .password("p", iterations: 20_001))
        #expect(try Cryptor.decrypt(message, with: .password("p", iterations: 20_001)) == plaintext)
        #expect(
            try caughtError { _ = try Cryptor.decrypt(message, with: .password("p")) }?.code
                == .authenticationFailed)
        // Fewer than the format's are read, and not written.
        var generator = SeededGenerator()
        let few = try Credential.password("p", iterations: 1)
        #expect(try Cryptor.decrypt(Self.message(.v3, few, &generator), with: few) == plaintext)
        #expect(try KeyedCryptor(few).decrypt(Self.message(.v3, few, &generator)) == plaintext)
        // Nor is anything written under a shortened reading.
        for credential in [few, try #require(Credential.password("密碼").shortenedReadings.first)] {
            for work in [
                { _ = try Cryptor.encrypt(plaintext, with: credential) },
                { _ = try KeyedCryptor(credential).encrypt(plaintext) },
                { _ = try Encryptor(credential) },
            ] as [() throws -> Void] {
                #expect(try caughtError(of: work)?.code == .invalidCredential)
            }
        }
        for work in [
            { _ = try Credential.password("p", iterations: 0) },
            { _ = try Credential.password("p", iterations: 10_000_001) },
            { _ = try Credential.password("p", iterations: .min) },
            { _ = try Credential.password("") },
        ] as [() throws -> Void] {
            #expect(try caughtError(of: work)?.code == .invalidCredential)
        }
    }

    /// Keys for several numbers of iterations are derived in one call, each with its own number.
    @Test func severalNumbersInOneCall() throws {
        let salts = MessageHeader.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let counts = [1, 3, 1, 10_000, 3, 2]
        let requests = counts.map {
            KeyRequest(SecretBytes(Array("secret".utf8)), iterations: $0, salts)
        }
        let known = KeyRequest(Candidate(secret: .keys(try .random())), nil)
        let found = try KeyRequest.keys(for: [known] + requests).dropFirst()
        for (count, keys) in zip(counts, found) {
            let expected = try PBKDF2.deriveKey(
                password: SecretBytes(Array("secret".utf8)), salt: salts.hmac, iterations: count,
                engine: .openSSL)
            #expect(keys.hmacKey.plain == expected.plain, "\(count) iterations")
        }
    }

    // MARK: Many messages under a password

    @Test func messagesShareTheirSalts() throws {
        let password = try Credential.password("correct horse")
        let (one, two) = (try KeyedCryptor(password), try KeyedCryptor(password))
        let long = [UInt8](repeating: 9, count: 300_000)
        let messages = try [
            one.encrypt([1]), one.encrypt([2]), one.encrypt(long), two.encrypt([1]),
        ]
        let headers = try messages.map { try MessageHeader(parsing: $0) }
        #expect(headers[1].salts == headers[0].salts && headers[2].salts == headers[0].salts)
        #expect(headers[3].salts != headers[0].salts && Set(headers.map(\.iv)).count == 4)
        for (message, plaintext) in zip(messages, [[1], [2], long, [1]]) {
            #expect(message.count == one.messageByteCount(for: plaintext.count))
            #expect(try Cryptor.decrypt(message, with: password, accepting: [.v3]) == plaintext)
            for cryptor in [one, two] { #expect(try cryptor.decrypt(message) == plaintext) }
        }
        #expect(try one.credential.reading(ofWhole: messages[0]).requests[0].answer != nil)
        // If the known keys do not fit, all others are tried.
        let several = try KeyedCryptor(.keyring(primary: password, previous: [.password("other")]))
        #expect(try several.openAtOnce(messages[1]) == nil)
        #expect(try several.decrypt(messages[0]) == [1])
        #expect(try several.openAtOnce(messages[1])?.plaintext == [2])
        var forged = messages[1]
        forged[forged.count - 1] ^= 1
        #expect(try several.openAtOnce(forged) == nil)
    }

    /// Wherever the credential of a cryptor is used, messages share its salts, and known keys are
    /// not derived again.
    @Test(arguments: CachedUse.all) func theCredentialOfACryptor(use: CachedUse) async throws {
        let password = try Credential.password("correct horse")
        let (cryptor, other) = (try KeyedCryptor(password), try KeyedCryptor(password))
        let message = try await use.encrypt([1, 2, 3], cryptor.credential)
        let (own, written) = (
            try MessageHeader(parsing: cryptor.encrypt([])), try MessageHeader(parsing: message)
        )
        #expect(written.salts == own.salts && written.iv != own.iv)
        #expect(try Cryptor.decrypt(message, with: password, accepting: [.v3]) == [1, 2, 3])

        let foreign = try other.encrypt([4, 5])
        var forged = foreign
        forged[forged.count - 1] ^= 1
        await #expect(throws: CryptorError.self) {
            _ = try await use.decrypt(forged, cryptor.credential)
        }
        #expect(try cryptor.openAtOnce(foreign) == nil, "kept for a forged message")
        #expect(try await use.decrypt(foreign, cryptor.credential) == [4, 5])
        #expect(try cryptor.openAtOnce(foreign)?.plaintext == [4, 5], "not kept")
    }

    /// Encrypts and decrypts with a credential.
    struct CachedUse: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let encrypt: @Sendable ([UInt8], Credential) async throws -> [UInt8]
        let decrypt: @Sendable ([UInt8], Credential) async throws -> [UInt8]

        static let all = [
            CachedUse(testDescription: "sequence") { plaintext, credential in
                try await ChunkSource([plaintext]).encrypted(with: credential).reduce(into: []) {
                    $0 += $1
                }
            } decrypt: { message, credential in
                try await ChunkSource([message]).decryptedUnverified(with: credential).reduce(
                    into: []) { $0 += $1 }
            },
            CachedUse(testDescription: "file on a pool") { plaintext, credential in
                try await file(of: plaintext) {
                    try await CryptorPool.shared.encryptFile(at: $0, to: $1, with: credential)
                }
            } decrypt: { message, credential in
                try await file(of: message) {
                    try await CryptorPool.shared.decryptFile(at: $0, to: $1, with: credential)
                }
            },
        ]

        private static func file(
            of bytes: [UInt8],
            _ work: (_ source: String, _ destination: String) async throws -> Void
        ) async throws -> [UInt8] {
            let directory = try TemporaryDirectory()
            try directory.write(bytes, to: "in")
            try await work(directory.path("in"), directory.path("out"))
            return try directory.read("out")
        }
    }

    /// What the salts of a message stand for is kept once it was authentic, and only where its HMAC
    /// covers them.
    @Test(arguments: FormatVersion.allCases) func whatIsKept(version: FormatVersion) throws {
        var generator = SeededGenerator()
        let password = try Credential.password("correct horse")
        let cryptor = try KeyedCryptor(password)
        let message = try Self.message(version, password, &generator)
        var forged = message
        forged[forged.count - 1] ^= 1
        _ = try? cryptor.decrypt(forged, accepting: .everything)
        _ = cryptor.decryptAll([forged, forged], accepting: .everything)
        #expect(try cryptor.openAtOnce(message, accepting: .everything)?.plaintext == nil)
        #expect(try cryptor.decrypt(message, accepting: .everything) == Self.plaintext)
        let opened = try cryptor.openAtOnce(message, accepting: .everything)
        #expect((opened != nil) == (version.rawValue >= 2))
        for other in FormatVersion.allCases {
            let header = MessageHeader(
                version: other, salts: try MessageHeader(parsing: message).salts, iv: Array(0..<16))
            let sibling = try Cryptor.encrypt([9], with: password, header: header)
            let isOpened = try cryptor.openAtOnce(sibling, accepting: .everything) != nil
            #expect(isOpened == (other == version && version.rawValue >= 2), "\(other)")
        }
        #expect(
            try caughtError { _ = try cryptor.decrypt(forged, accepting: .everything) }
                == .authenticationFailed)
    }

    /// Ways to read a message with a cryptor, or with its credential elsewhere.
    struct CachedReading: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let read: @Sendable ([UInt8], KeyedCryptor) throws -> [UInt8]

        static let all = [
            CachedReading(testDescription: "decrypt") { message, cryptor in
                try cryptor.decrypt(message, accepting: .everything)
            },
            CachedReading(testDescription: "decryptAll") { message, cryptor in
                try cryptor.decryptAll([message], accepting: .everything)[0].get()
            },
            CachedReading(testDescription: "its credential") { message, cryptor in
                try Cryptor.decrypt(message, with: cryptor.credential, accepting: .everything)
            },
            CachedReading(testDescription: "a stream") { message, cryptor in
                var decryptor = try Decryptor(cryptor.credential, accepting: .everything)
                var plaintext: [UInt8] = []
                try decryptor.update(message, unverifiedInto: &plaintext)
                try decryptor.finish(into: &plaintext)
                return plaintext
            },
        ]
    }

    /// The HMAC of version 1 does not cover the salts. If its keys were kept, anybody with one
    /// message could fill the cache with others.
    @Test(arguments: FormatVersion.allCases, CachedReading.all)
    func whoseKeysAreDerivedAgain(version: FormatVersion, way: CachedReading) throws {
        var generator = SeededGenerator()
        let password = try Credential.password("correct horse")
        let cryptor = try KeyedCryptor(password)
        let message = try Self.message(version, password, &generator)
        func isKept() throws -> Bool {
            try cryptor.credential.reading(ofWhole: message).requests[0].answer != nil
        }
        var forged = message
        forged[forged.count - 1] ^= 1
        #expect(throws: CryptorError.authenticationFailed) { try way.read(forged, cryptor) }
        #expect(try !isKept(), "kept for a forged message")
        for _ in 0..<2 {
            #expect(try way.read(message, cryptor) == Self.plaintext, "\(generator)")
            #expect(try isKept() == version.authenticatesHeader, "\(generator)")
        }
    }

    /// A shortened reading that opened a message of version 2 opens none of version 3 with the same
    /// salts.
    @Test func aShortenedReadingThatIsKept() throws {
        let password = try Credential.password("pässword")
        let reading = try #require(password.shortenedReadings.first)
        let cryptor = try KeyedCryptor(password.withShortenedReadings())
        let salts = MessageHeader.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        func message(_ version: FormatVersion, _ credential: Credential) throws -> [UInt8] {
            let header = MessageHeader(version: version, salts: salts, iv: Array(0..<16))
            return try Cryptor.encrypt([1, 2], with: credential, header: header)
        }
        let old = try message(.v2, reading)
        #expect(try cryptor.open(old).credentialIndex == 1)
        for forgery in [try message(.v3, reading), try message(.v1UnauthenticatedHeader, reading)] {
            #expect(try caughtError { _ = try cryptor.decrypt(forgery) } != nil)
            #expect(cryptor.decryptAll([forgery]).allSatisfy { (try? $0.get()) == nil })
        }
        #expect(try cryptor.decrypt(message(.v3, password)) == [1, 2])
        #expect(try cryptor.open(old).credentialIndex == 1)
        // Derived together, the keys of one candidate are not those of another.
        let both = [old, try message(.v3, password)]
        let keyring = try Credential.keyring(
            primary: .keys(.random()), previous: [reading, password])
        for messages in [both, both.reversed()] {
            let found = try KeyedCryptor(keyring).decryptAll(messages)
            #expect(found == [.success([1, 2]), .success([1, 2])])
        }
    }

    @Test func theLastOnesAreKept() throws {
        let keys = try MessageKeys.random()
        func header(_ number: Int, _ version: FormatVersion = .v3) -> MessageHeader {
            let salts = MessageHeader.Salts(
                encryption: withUnsafeBytes(of: number) { Array($0) }, hmac: Array(0..<8))
            return MessageHeader(version: version, salts: salts, iv: Array(0..<16))
        }
        let cache = KeyCache(own: (try #require(KeyCache.Place(header(-1))), keys))
        func answer(
            _ number: Int, _ version: FormatVersion = .v3
        ) throws -> KeyCache.Answer? {
            cache.answer(at: try #require(KeyCache.Place(header(number, version))))
        }
        for number in 0..<KeyCache.limit + 10 {
            cache.keep(keys, of: 3, for: header(number))
            // What was authentic last stays. That a forged message asks for keys changes nothing.
            let first = try #require(try answer(0))
            cache.keep(first.keys, of: first.credentialIndex, for: header(0))
            let isThere = try answer(1) != nil
            #expect(isThere == (1..<KeyCache.limit ~= number), "\(number)")
            #expect(try answer(-1)?.credentialIndex == 0)
        }
        let kept = try (0..<KeyCache.limit + 10).filter { try answer($0) != nil }
        #expect(kept == [0] + Array(11..<KeyCache.limit + 10))
        #expect(try kept.allSatisfy { try answer($0)?.credentialIndex == 3 })
        #expect(try answer(0, .v2) == nil && answer(-1, .v2) == nil)
    }

    /// Of more messages than there is room for, one that is read again and again keeps its keys.
    @Test func whatIsReadAgainStays() throws {
        let password = try Credential.password("password", iterations: 1)
        let cryptor = try KeyedCryptor(password)
        func message(_ number: Int) throws -> [UInt8] {
            let salts = MessageHeader.Salts(
                encryption: withUnsafeBytes(of: number) { Array($0) }, hmac: Array(0..<8))
            let header = MessageHeader(salts: salts, iv: Array(0..<16))
            return try Cryptor.encrypt([1, 2], with: password, header: header)
        }
        let first = try message(0)
        #expect(try cryptor.decrypt(first) == [1, 2])
        for number in 1...KeyCache.limit + 10 {
            #expect(try cryptor.decrypt(message(number)) == [1, 2])
            #expect(try cryptor.openAtOnce(first)?.plaintext == [1, 2], "after \(number)")
        }
        #expect(try cryptor.openAtOnce(message(1)) == nil)
    }

    /// Keys that are kept, or derived for several messages at once, serve only messages whose keys
    /// are derived in the same way. Whoever has guessed a shortened reading may forge messages of
    /// version 2, and never one of version 3 by giving it the salts of such a message.
    @Test func keptKeysServeOneVersion() async throws {
        var generator = SeededGenerator()
        let credential = try Credential.password("🔑").withShortenedReadings()
        let guess = try Credential.password(utf8: [0xF0])
        let salts = MessageHeader.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
        func message(_ version: FormatVersion) throws -> [UInt8] {
            let header = MessageHeader(version: version, salts: salts, iv: generator.bytes(16))
            return try Cryptor.encrypt([1, 2, 3], with: guess, header: header)
        }
        let sound = try message(.v2)
        let forged = try message(.v3)
        let plaintext = Result<[UInt8], CryptorError>.success([1, 2, 3])
        let refusal = Result<[UInt8], CryptorError>.failure(.authenticationFailed)
        #expect(try KeyedCryptor(credential).decryptAll([sound, forged]) == [plaintext, refusal])
        #expect(try KeyedCryptor(credential).decryptAll([forged, sound]) == [refusal, plaintext])
        let cryptor = try KeyedCryptor(credential)
        #expect(try cryptor.decrypt(sound) == [1, 2, 3])
        let kept = cryptor.credential
        let directory = try TemporaryDirectory()
        try directory.write(forged, to: "forged")
        let ways: [(String, () async throws -> [UInt8])] = [
            ("KeyedCryptor", { try cryptor.decrypt(forged) }),
            ("Cryptor", { try Cryptor.decrypt(forged, with: kept) }),
            ("a pool", { try await CryptorPool.shared.decrypt(forged, with: kept) }),
            (
                "a file",
                {
                    try await CryptorPool.shared.verifyFile(
                        at: directory.path("forged"), with: kept)
                    return []
                }
            ),
            (
                "a stream",
                {
                    var decryptor = try Decryptor(kept)
                    var released: [UInt8] = []
                    try decryptor.update(forged, unverifiedInto: &released)
                    try decryptor.finish(into: &released)
                    return released
                }
            ),
        ]
        for (name, way) in ways {
            let outcome = try await Outcome(of: way)
            #expect(outcome.error?.code == .authenticationFailed, "\(name), \(generator)")
        }
        #expect(try cryptor.decrypt(sound) == [1, 2, 3])
    }

    /// Results are in order and right whatever is known, and whichever candidate opens a message.
    @Test(arguments: [0, 1, 15, 16, 17, 40]) func groupsUnderAKeyring(count: Int) throws {
        var generator = SeededGenerator()
        let (one, two) = (try Credential.password("one"), try Credential.password("two"))
        let keys = try Self.keys(5).credential
        let cryptor = try KeyedCryptor(.keyring(primary: one, previous: [two, keys]))
        let strangers = try Credential.password("three")
        var (messages, expected): ([[UInt8]], [[UInt8]?]) = ([], [])
        for number in 0..<count {
            let writer = [one, two, keys, strangers].randomElement(using: &generator) ?? one
            let isOfThree = number % 5 == 4
            messages.append(
                isOfThree
                    ? [3, 1] : try Self.message(number % 3 == 0 ? .v2 : .v3, writer, &generator))
            let isStranger =
                writer.writesUnderPassword
                && (try? Cryptor.decrypt(messages[number], with: strangers)) != nil
            expected.append(isOfThree || isStranger ? nil : Self.plaintext)
        }
        for _ in 0..<2 {
            let found = cryptor.decryptAll(messages).map { try? $0.get() }
            #expect(found == expected, "\(generator)")
        }
    }

    @Test func manyThreadsWithOneCryptor() throws {
        let password = try Credential.password("correct horse", iterations: 10_000)
        let writers = try (0..<40).map { _ in try KeyedCryptor(password) }
        let messages = try writers.flatMap { [try $0.encrypt([1]), try $0.encrypt([1])] }
        let cryptor = try KeyedCryptor(password)
        let failures = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for (number, message) in messages.enumerated() {
                let message =
                    number % 2 == thread % 2
                    ? message : message.dropLast() + [message.last.map { $0 ^ 1 } ?? 0]
                let isRight = (try? cryptor.decrypt(message)) == [1]
                if isRight != (number % 2 == thread % 2) { failures.withLock { $0 += 1 } }
            }
        }
        #expect(failures.withLock { $0 } == 0)
    }

    // MARK: Key files

    @Test func keysAsText() throws {
        let directory = try TemporaryDirectory()
        let keys = try MessageKeys.random().copyKeys()
        let text = (keys.encryptionKey + keys.hmacKey).hex
        for (name, text) in [
            ("plain", text),
            ("spaced", text.prefix(64) + " \r\n\t" + text.dropFirst(64).uppercased() + "\n"),
        ] {
            try directory.write(Array(text.utf8), to: name)
            for found in [
                try MessageKeys(hexadecimal: text), try MessageKeys(keyFile: directory.path(name)),
            ] {
                #expect(found.copyKeys() == keys, "\(name)")
            }
        }
        for text in [
            "", String(text.dropLast()), text + "0", "x" + text.dropFirst(), "０" + text.dropFirst(),
        ] {
            try directory.write(Array(text.utf8), to: "wrong")
            #expect(
                try caughtError { _ = try MessageKeys(hexadecimal: text) }?.code
                    == .invalidCredential)
            let error = try caughtError { _ = try MessageKeys(keyFile: directory.path("wrong")) }
            #expect(error?.code == .invalidCredential && error?.path?.hasSuffix("wrong") == true)
        }
        let error = try caughtError { _ = try MessageKeys(keyFile: directory.path("missing")) }
        #expect(error?.code == .inputOutput)
    }

    @Test func aNewKeyFile() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("key")
        let keys = try MessageKeys.random()
        try keys.writeKeyFile(to: path)
        #expect(try MessageKeys(keyFile: path).copyKeys() == keys.copyKeys())
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 129)
        let error = try caughtError { try MessageKeys.random().writeKeyFile(to: path) }
        #expect(error?.code == .destinationExists && error?.path == path)
        #expect(try MessageKeys(keyFile: path).copyKeys() == keys.copyKeys())
    }

    /// One newline at the end of a password file is not part of the password, as with the command.
    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"),
        ("secret\n\n", "secret\n"),
        ("secret\r", "secret\r"), ("\nsecret ", "\nsecret "), ("", nil), ("\n", nil),
        (String(repeating: "x", count: 65_536), String(repeating: "x", count: 65_536)),
        (String(repeating: "x", count: 65_537), nil),
    ])
    func aPasswordFromAFile(text: String, expected: String?) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array(text.utf8), to: "password")
        guard let expected else {
            let error = try caughtError {
                _ = try Credential.password(file: directory.path("password"))
            }
            #expect(
                error?.code == .invalidCredential && error?.path == directory.path("password"),
                "\(text.debugDescription)")
            return
        }
        let message = try Cryptor.encrypt([1], with: .password(expected, iterations: 20_000))
        let found = try Credential.password(file: directory.path("password"), iterations: 20_000)
        #expect(try Cryptor.decrypt(message, with: found) == [1], "\(text.debugDescription)")
        #expect(
            try Credential.password(file: directory.path("password")).password?.iterations == 10_000
        )
    }

    /// A message without ciphertext is refused, also under salts that a cryptor knows and with the
    /// right tag.
    @Test func noCiphertextUnderKnownSalts() throws {
        let cryptor = try KeyedCryptor(.password("known salts"))
        var message = Array(try cryptor.encrypt([1]).prefix(FormatVersion.longestHeaderByteCount))
        let salts = MessageHeader.Salts(
            encryption: Array(message[2..<10]), hmac: Array(message[10..<18]))
        let keys = try Credential.password("known salts").keys(salts)
        message += try BareHMAC.tag(of: message, key: keys.hmacKey)
        let error = try caughtError { _ = try cryptor.decrypt(message) }
        #expect(error?.code == .invalidMessageLength, "\(String(describing: error))")
        // Options that there are not are refused as well, however authentic.
        var odd = [3, 2] + message[2..<34]
        odd += try BareCBC.encrypt(
            [1], key: keys.encryptionKey, iv: Array(message[18..<34]))
        odd += try BareHMAC.tag(of: odd, key: keys.hmacKey)
        let other = try caughtError { _ = try cryptor.decrypt(odd) }
        #expect(other?.code == .unsupportedVersion, "\(String(describing: other))")
    }
}

extension KeyRequest {
    init(_ password: SecretBytes, iterations: Int = 10_000, _ salts: MessageHeader.Salts) {
        self.init(Candidate(secret: .password(password, iterations: iterations)), salts)
    }
}

extension Credential {
    fileprivate func reading(ofWhole message: [UInt8]) throws -> Reading {
        try reading(ofWhole: message, accepting: .everything)
    }
}
