import CryptorTestSupport
import Testing

@testable import CryptorFiles
@testable import CryptorFormat

/// Versions 2 and 1: who accepts them, under which password, and what can be altered in them
/// unnoticed.
@Suite struct OldVersionTests {
    private static let old: [FormatVersion] = [.v2, .v1UnauthenticatedHeader]
    private static let everything = Acceptance.everything

    private var generator = SeededGenerator()

    private mutating func message(
        _ plaintext: [UInt8], _ version: FormatVersion, with credential: Credential,
        password: Bool = false
    ) throws -> [UInt8] {
        let salts = MessageHeader.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
        let header = MessageHeader(
            version: version, salts: password ? salts : nil, iv: generator.bytes(16))
        return try Cryptor.encrypt(plaintext, with: credential, header: header)
    }

    private func error(
        _ message: [UInt8], _ credential: Credential, _ accepting: Acceptance = everything
    ) throws -> CryptorError? {
        try caughtError { _ = try Cryptor.decrypt(message, with: credential, accepting: accepting) }
    }

    /// The versions some of whose writers used only the beginning of a password.
    private static let shortened: [FormatVersion] = [.v2, .v1UnauthenticatedHeader]

    // MARK: What is accepted

    @Test(arguments: FormatVersion.allCases)
    mutating func onlyVersionsThatAreAccepted(version: FormatVersion) throws {
        let keys = try generator.messageKeys()
        let (credential, cryptor) = (Credential.keys(keys), try KeyedCryptor(keys))
        let message = try message([1, 2, 3], version, with: credential)
        #expect(
            (try? Cryptor.decrypt(message, with: credential))
                == (version.isAcceptedByDefault ? [1, 2, 3] : nil))
        #expect(
            try Cryptor.decrypt(message, with: credential, accepting: Acceptance([version])) == [
                1, 2, 3,
            ])
        let others = Acceptance(Self.everything.versions.subtracting([version]))
        let results =
            [
                Result { () throws(CryptorError) in
                    try Cryptor.decrypt(message, with: credential, accepting: others)
                }
            ]
            + [
                Result { () throws(CryptorError) in try cryptor.decrypt(message, accepting: others)
                }
            ]
            + cryptor.decryptAll([message, message], accepting: others)
        #expect(results.count == 4)
        for result in results {
            let error = #expect(throws: CryptorError.self) { try result.get() }
            #expect(error?.code == .versionNotAccepted)
        }
        var decryptor = try Decryptor(credential, accepting: others)
        var plaintext: [UInt8] = []
        var code: CryptorError.Code?
        do { try decryptor.update(message.prefix(34), unverifiedInto: &plaintext) } catch {
            code = error.code
        }
        #expect(code == .versionNotAccepted)
    }

    /// An error offers a list that would replace the caller's, so the versions that were accepted
    /// must be in it, too.
    @Test(
        arguments: [[], [.v3], [.v3, .v2], [.v2, .v1UnauthenticatedHeader]] as [Set<FormatVersion>])
    mutating func whatIsOfferedAcceptsAllThatWas(accepted: Set<FormatVersion>) throws {
        let names: [FormatVersion: String] = [
            .v3: ".v3", .v2: ".v2", .v1UnauthenticatedHeader: ".v1UnauthenticatedHeader",
        ]
        let credential = Credential.keys(try generator.messageKeys())
        for version in FormatVersion.allCases where !accepted.contains(version) {
            let message = try message([1, 2, 3], version, with: credential)
            let sentence =
                try error(message, credential, Acceptance(accepted))?.description ?? "none"
            let list = accepted.union([version]).sorted { $0.rawValue > $1.rawValue }.compactMap {
                names[$0]
            }.joined(
                separator: ", ")
            #expect(
                sentence.hasSuffix(" 'accepting: [\(list)]' accepts it as well."), "\(sentence)")
        }
    }

    // MARK: Passwords of which only the beginning was used

    /// Passwords, and how many of their bytes some kind of writer used. Bytes that are not UTF-8
    /// are counted by the characters that begin in them, and no reading is empty: everybody knows
    /// the empty password.
    static let readings: [(password: [UInt8], byteCounts: [Int])] =
        [
            ("thepassword", [11]), ("pässwörd", [10, 8]), ("中文密码", [12, 4]),
            ("🔐🗝️ key", [15, 9, 7]),
            ("e\u{301}", [3, 2]), ("😀", [4, 2, 1]), ("\u{0}é", [3, 2]),
        ].map { (text: String, counts: [Int]) in (Array(text.utf8), counts) }
        + [
            ([0x80], [1]), ([0x80, 0xBF], [2]), ([0xA9, 0x80, 0x80], [3]),
            ([0x80, 0xBF, 0x41], [3, 1]),
        ]

    @Test(arguments: readings, FormatVersion.allCases)
    mutating func eachWritersBeginning(
        reading: (password: [UInt8], byteCounts: [Int]), version: FormatVersion
    ) throws {
        let (password, counts) = reading
        let credential = try Credential.password(utf8: password)
        let shortened = try credential.withShortenedReadings()
        let plaintext = generator.bytes(100)
        // A password with another first byte is wrong, and so is the empty one.
        var writers: [(name: String, bytes: [UInt8], isRight: Bool)] = [
            ("wrong", [password[0] ^ 1] + password.dropFirst(), false), ("empty", [], false),
        ]
        for count in counts {
            let isRight = Self.shortened.contains(version) || count == password.count
            writers.append(("\(count) bytes", Array(password.prefix(count)), isRight))
        }
        var (messages, expected): ([[UInt8]], [Result<[UInt8], CryptorError>]) = ([], [])
        for (name, bytes, isRight) in writers {
            let writer = bytes.isEmpty ? .emptyPassword : try Credential.password(utf8: bytes)
            let message = try message(plaintext, version, with: writer, password: true)
            messages.append(message)
            expected.append(isRight ? .success(plaintext) : .failure(.authenticationFailed))
            for chunking in [Chunking.whole, .fixed(1), .fixed(49)] {
                let stream = try ChunkedDecryption(
                    message, with: shortened, accepting: Self.everything, chunking)
                #expect(
                    stream.verifiedPlaintext == (isRight ? plaintext : nil),
                    "\(name), \(chunking), \(generator)")
                if isRight, counts.count > 1, Self.shortened.contains(version) {
                    #expect(stream.last == plaintext, "\(name), \(generator): all of it at the end")
                }
            }
            // All bytes alone open nothing that was written under fewer.
            guard bytes != password else { continue }
            #expect(try error(message, credential)?.code == .authenticationFailed, "\(name)")
        }
        let found = try KeyedCryptor(shortened).decryptAll(messages, accepting: Self.everything)
        #expect(found == expected, "\(writers.map(\.name)), \(generator)")
        #expect(credential.shortenedReadings.allSatisfy { $0.shortenedReadings.isEmpty })
        #expect(
            try Credential.password(utf8: [0, 0x80]).shortenedReadings.isEmpty,
            "the empty password, to HMAC")
        let lengths = Candidate.shortenedByteCounts(of: password.span.bytes)
        #expect(
            Set(lengths) == Set(counts.dropFirst()) && lengths.count == counts.count - 1,
            "\(lengths)")
    }

    /// What is held back until a reading is found has a limit, which may be any number. Nothing
    /// else is held back.
    @Test(arguments: [Int.min, -17, 0, 1073, 1074, .max - 1, .max])
    mutating func whatIsHeldBackHasALimit(limit: Int) throws {
        let plaintext = generator.bytes(1000)
        for (text, heldBack) in [("中文密码", 1074), ("password", 0)] {
            let credential = try Credential.password(text).withShortenedReadings()
            let message = try message(plaintext, .v2, with: .password(text), password: true)
            var decryptor = try Decryptor(credential, heldBackByteLimit: limit)
            var released: [UInt8] = []
            let isTooLong = heldBack > limit && heldBack > 0
            var code: CryptorError.Code?
            do { try decryptor.update(message, unverifiedInto: &released) } catch {
                code = error.code
            }
            #expect(code == (isTooLong ? .messageTooLong : nil), "limit \(limit)")
            #expect(
                released.count == (heldBack > 0 ? 0 : 992)
                    && decryptor.heldBackByteCount == (isTooLong ? 0 : heldBack))
            guard !isTooLong else { continue }
            try decryptor.finish(into: &released)
            #expect(released == plaintext, "\(generator)")
        }
        // A message says of which kind it is, so both kinds in a keyring hold nothing back.
        let keys = Credential.keys(try generator.messageKeys())
        let mixed = try Credential.keyring(primary: .password("a"), previous: [keys])
        var released: [UInt8] = []
        var other = try Decryptor(mixed, accepting: Self.everything, heldBackByteLimit: limit)
        try other.update(Cryptor.encrypt(plaintext, with: keys), unverifiedInto: &released)
        #expect(released.count == 992)
    }

    /// Without another limit, it is 64 MiB.
    @Test mutating func theUsualLimit() throws {
        let credential = try Credential.password("中文密码").withShortenedReadings()
        let rest = [UInt8](repeating: 0, count: 64 * 1024 * 1024 - 34)
        var decryptor = try Decryptor(credential)
        var released: [UInt8] = []
        try decryptor.update([2, 1] + generator.bytes(32), unverifiedInto: &released)
        try decryptor.update(rest, unverifiedInto: &released)
        var code: CryptorError.Code?
        do { try decryptor.update([0], unverifiedInto: &released) } catch { code = error.code }
        #expect(code == .messageTooLong)
    }

    /// What is held back is decrypted elsewhere, so nothing of a forged message is ever in the
    /// caller's memory.
    @Test mutating func theMemoryOfTheCaller() throws {
        let password = try Credential.password("中文密码")
        var message = try message(generator.bytes(300_000), .v2, with: password, password: true)
        message[message.count - 32] ^= 1
        var decryptor = try Decryptor(password.withShortenedReadings())
        var released: [UInt8] = []
        try decryptor.update(message, unverifiedInto: &released)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: message.count, alignment: 1)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xAA)
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        var code: CryptorError.Code?
        do { try decryptor.finish(into: &output) } catch { code = error.code }
        #expect(
            code == .authenticationFailed && output.byteCount == 0
                && memory.allSatisfy { $0 == 0xAA })
    }

    // MARK: What an unauthenticated header means

    /// All bits matter but those of the header of version 1. What can be made of these, vectors
    /// show.
    @Test(arguments: old)
    mutating func whatIsAuthenticated(version: FormatVersion) throws {
        let credential = Credential.keys(try generator.messageKeys())
        let plaintext = Array("Pay to: Margaret 100 francs".utf8)
        let message = try message(plaintext, version, with: credential)
        let firstProtected = version.authenticatesHeader ? 2 : 18
        for bit in firstProtected * 8..<message.count * 8 {
            var altered = message
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(
                try error(altered, credential)?.code == .authenticationFailed,
                "bit \(bit), \(generator)")
        }
    }
}
