import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// `decryptAll` gives for each message what `decrypt` gives, whatever its neighbours are.
@Suite struct DecryptAllTests {
    private static let readable = Result { try VectorFolder.readable() }
    private static let refused = Result { try VectorFolder.refused() }

    private static func decryptAll(
        _ messages: [[UInt8]], with credential: Credential, accepting: Acceptance = .everything
    ) -> [Result<[UInt8], CryptorError>] {
        Cryptor.decryptAll(messages, with: credential, accepting: accepting)
    }

    /// The result of `message` between two messages that can be read.
    private func result(
        of message: [UInt8], with credential: Credential, accepting: Acceptance = .everything
    ) throws -> Result<[UInt8], CryptorError> {
        let sound = try Cryptor.encrypt([1, 2, 3], with: credential)
        let results = Self.decryptAll([sound, message, sound], with: credential, accepting: accepting)
        try #require(results.count == 3)
        #expect(results[0] == .success([1, 2, 3]) && results[2] == .success([1, 2, 3]))
        return results[1]
    }

    @Test(arguments: try readable.get())
    func everyReadableVector(_ vector: ReadableVector) throws {
        let plaintext = try result(of: vector.message, with: vector.credential, accepting: vector.acceptance).get()
        #expect(sameBytes(plaintext, vector.plaintext), "\(vector)")
    }

    @Test(arguments: try refused.get())
    func everyRefusedVector(_ vector: RefusedVector) throws {
        let result = try result(of: vector.message, with: vector.secret.credential)
        let error = #expect(throws: CryptorError.self, "\(vector)") { try result.get() }
        #expect(error?.code == vector.fault.code, "\(vector)")
    }

    /// All vectors have the same results in one array as alone, though most are under other credentials.
    @Test(arguments: [Secret.password("🔑🐎🔋"), .keys(encryption: LongBytes.bytes(32), hmac: LongBytes.bytes(32))])
    func everyVectorUnderOneCredential(secret: Secret) throws {
        let credential = try secret.credential
        let accepting = Acceptance.everything.withShortenedPasswords()
        var generator = SeededGenerator()
        let messages = try (Self.readable.get().map(\.message) + Self.refused.get().map(\.message))
            .shuffled(using: &generator)
        let results = Self.decryptAll(messages, with: credential, accepting: accepting)
        try #require(results.count == messages.count)
        for (index, result) in results.enumerated() {
            let alone = Result { () throws(CryptorError) in
                try Cryptor.decrypt(messages[index], with: credential, accepting: accepting)
            }
            #expect("\(result)" == "\(alone)", "message \(index), \(generator)")
        }
        let readCount = results.count { (try? $0.get()) != nil }
        #expect(secret.isPassword ? readCount >= 8 : readCount == 0)
    }

    /// A fault that shows without a key costs no derivation, and does not keep the other messages from being read.
    @Test func derivesNoKeyForWhatIsRefusedWithout() throws {
        let messages = try Self.refused.get().filter { $0.fault.precedesTheMAC && $0.secret.isPassword }.map(\.message)
        let credential = try Credential.password("correct horse battery staple")
        let none = DerivationCounter.count {
            let results = Self.decryptAll(messages, with: credential)
            #expect(results.allSatisfy { (try? $0.get()) == nil } && results.count == messages.count)
        }
        #expect(none == 0)
        let sound = try Cryptor.encrypt([1, 2, 3], with: credential)
        let results = Self.decryptAll([sound, messages[0], sound, messages[1]], with: credential)
        #expect(results[0] == .success([1, 2, 3]) && results[2] == .success([1, 2, 3]))
    }

    @Test(arguments: [0, 1, 3, 4, 5, 16, 17, 33])
    func manyMessages(count: Int) throws {
        var generator = SeededGenerator()
        let credential = try Credential.password("correct horse battery staple")
        let plaintexts = (0..<count).map { _ in generator.bytes(Int.random(in: 0...70, using: &generator)) }
        let messages = try plaintexts.map { try Cryptor.encrypt($0, with: credential) }
        #expect(
            Cryptor.decryptAll(messages, with: credential) == plaintexts.map { .success($0) }, "\(generator)")
        let wrong = Cryptor.decryptAll(messages, with: try .password("correct horse battery stable"))
        #expect(wrong.allSatisfy { $0 == .failure(CryptorError.authenticationFailed) } && wrong.count == count)
    }

    /// A message that is altered in one bit is refused, and the others are read.
    @Test func oneAlteredMessageAmongOthers() throws {
        var generator = SeededGenerator()
        let credential = try Credential.password("correct horse battery staple")
        let plaintexts = (0..<4).map { _ in generator.bytes(20) }
        let messages = try plaintexts.map { try Cryptor.encrypt($0, with: credential) }
        for index in messages.indices {
            var altered = messages
            altered[index][Int.random(in: 2..<messages[index].count, using: &generator)] ^= 1
            let results = Cryptor.decryptAll(altered, with: credential)
            for (other, result) in results.enumerated() {
                let plaintext = Result<[UInt8], CryptorError>.success(plaintexts[other])
                let expected = other == index ? .failure(.authenticationFailed) : plaintext
                #expect(result == expected, "message \(other), altered \(index), \(generator)")
            }
        }
    }

    // MARK: Old versions

    /// Messages of all versions can be read in one array, under every beginning of a password that some writer used.
    @Test(arguments: OldVersionTests.passwords)
    func eachWritersBeginning(of password: (text: String, bytes: Int, codeUnits: Int, codePoints: Int)) throws {
        var generator = SeededGenerator()
        let utf8 = Array(password.text.utf8)
        let credential = try Credential.password(password.text)
        let wrong = try Credential.password(utf8: [utf8[0] ^ 1] + utf8.dropFirst())
        var lengths: [Int] = []
        for length in [password.bytes, password.codeUnits, password.codePoints] where !lengths.contains(length) {
            lengths.append(length)
        }
        var messages: [[UInt8]] = []
        var plaintexts: [[UInt8]?] = []
        for version in FormatVersion.allCases {
            let candidates = version == .v3 ? [utf8.count] : lengths
            for length in [0] + candidates {
                let written = length == 0 ? wrong : try .password(utf8: utf8.prefix(length))
                let salts = Header.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
                let header = Header(version: version, salts: salts, iv: generator.bytes(16))
                let plaintext = generator.bytes(50)
                messages.append(try Cryptor.encrypt(plaintext, with: written, header: header))
                plaintexts.append(length == 0 ? nil : plaintext)
            }
        }
        let results = Cryptor.decryptAll(
            messages, with: credential, accepting: .everything.withShortenedPasswords())
        for (index, (result, plaintext)) in zip(results, plaintexts).enumerated() {
            let expected = plaintext.map { .success($0) } ?? Result.failure(CryptorError.authenticationFailed)
            #expect(result == expected, "message \(index), \(generator)")
        }
        #expect(results.count == plaintexts.count)
    }

    @Test func onlyVersionsThatAreAccepted() throws {
        var generator = SeededGenerator()
        let credential = try Credential.password("correct horse battery staple")
        let messages = try FormatVersion.allCases.map { version in
            let salts = Header.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
            let header = Header(version: version, salts: salts, iv: generator.bytes(16))
            return try Cryptor.encrypt([version.rawValue], with: credential, header: header)
        }
        let results = Cryptor.decryptAll(messages, with: credential)
        for (version, result) in zip(FormatVersion.allCases, results) {
            let alone = Result { () throws(CryptorError) in
                try Cryptor.decrypt(messages[Int(version.rawValue)], with: credential)
            }
            #expect(result == alone, "\(version)")
            #expect((try? result.get()) == (version.rawValue >= 2 ? [version.rawValue] : nil), "\(version)")
        }
    }

    // MARK: Kinds of input

    @Test func underKeys() throws {
        let keys = try KeyPair.random()
        let plaintexts = (0..<20).map { [UInt8](repeating: $0, count: Int($0)) }
        let messages = try plaintexts.map { try Cryptor.encrypt($0, with: .keys(keys)) }
        #expect(Cryptor.decryptAll(messages, with: .keys(keys)) == plaintexts.map { .success($0) })
    }

    @Test func anyCollection() throws {
        let credential = try Credential.password("correct horse battery staple")
        let plaintexts: [[UInt8]] = [[1], [], [2, 3]]
        let messages = try plaintexts.map { try Cryptor.encrypt($0, with: credential) }
        func check<Message: Collection<UInt8>>(_ messages: some Collection<Message>) throws {
            let results: [Result<[UInt8], CryptorError>] = Cryptor.decryptAll(messages, with: credential)
            #expect(try results.map { try $0.get() } == plaintexts, "\(type(of: messages))")
        }
        try check(messages)
        try check(([[9]] + messages)[1...])
        try check(messages.map { ([7, 7] + $0).dropFirst(2) })
        try check(messages.lazy.map { $0.lazy.map { $0 } })
        try check(messages.map { AnyCollection($0) })
        try check(messages.map { Data($0) })
    }
}
