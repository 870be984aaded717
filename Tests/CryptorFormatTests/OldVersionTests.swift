import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// Versions 2, 1 and 0: who accepts them, under which password, and what can be altered in them unnoticed.
@Suite struct OldVersionTests {
    private static let old: [FormatVersion] = [.v2, .v1UnauthenticatedHeader, .v0UnauthenticatedHeader]
    private static let everything = Acceptance.everything

    private var generator = SeededGenerator()

    private mutating func header(_ version: FormatVersion, password: Bool) -> Header {
        let salts = Header.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
        return Header(version: version, salts: password ? salts : nil, iv: generator.bytes(16))
    }

    private mutating func message(
        _ plaintext: [UInt8], _ version: FormatVersion, with credential: Credential, password: Bool
    ) throws -> [UInt8] {
        try Cryptor.encrypt(plaintext, with: credential, header: header(version, password: password))
    }

    // MARK: What is accepted

    @Test(arguments: FormatVersion.allCases)
    mutating func onlyVersionsThatAreAccepted(version: FormatVersion) throws {
        let credential = Credential.keys(try generator.keyPair())
        let message = try message([1, 2, 3], version, with: credential, password: false)
        let isDefault = version.rawValue >= 2
        #expect((try? Cryptor.decrypt(message, with: credential)) == (isDefault ? [1, 2, 3] : nil))
        #expect(try Cryptor.decrypt(message, with: credential, accepting: [version]) == [1, 2, 3])
        #expect(try Cryptor.decrypt(message, with: credential, accepting: Self.everything) == [1, 2, 3])
        let error = #expect(throws: CryptorError.self) {
            try Cryptor.decrypt(
                message, with: credential, accepting: Acceptance(Self.everything.versions.subtracting([version])))
        }
        #expect(error?.code == .versionNotAccepted)
    }

    /// An error offers a list that would replace the caller's, so the versions that were accepted must be in it, too.
    @Test(
        arguments: [[], [.v3], [.v3, .v2], [.v2, .v0UnauthenticatedHeader]] as [Set<FormatVersion>],
        FormatVersion.allCases)
    mutating func whatIsOfferedAcceptsAllThatWas(accepted: Set<FormatVersion>, version: FormatVersion) throws {
        guard !accepted.contains(version) else { return }
        let credential = Credential.keys(try generator.keyPair())
        let message = try message([1, 2, 3], version, with: credential, password: false)
        let error = #expect(throws: CryptorError.self) {
            try Cryptor.decrypt(message, with: credential, accepting: Acceptance(accepted))
        }
        let names: [FormatVersion: String] = [
            .v3: ".v3", .v2: ".v2", .v1UnauthenticatedHeader: ".v1UnauthenticatedHeader",
            .v0UnauthenticatedHeader: ".v0UnauthenticatedHeader",
        ]
        let list = accepted.union([version]).sorted { $0.rawValue > $1.rawValue }.compactMap { names[$0] }.joined(
            separator: ", ")
        let sentence = try #require(error?.description)
        #expect(sentence.hasSuffix(" 'accepting: [\(list)]' accepts it as well."), "\(sentence)")
    }

    @Test mutating func aStreamRefusesAtTheFirstByte() throws {
        var decryptor = try Decryptor(.keys(try generator.keyPair()))
        var plaintext: [UInt8] = []
        var code: CryptorError.Code?
        do { try decryptor.update([1], unverifiedInto: &plaintext) } catch { code = error.code }
        #expect(code == .versionNotAccepted)
    }

    // MARK: Passwords of which only the beginning was used

    /// A password, and how much of its UTF-8 each kind of writer used.
    static let passwords: [(text: String, bytes: Int, codeUnits: Int, codePoints: Int)] = [
        ("thepassword", 11, 11, 11), ("pässwörd", 10, 8, 8), ("中文密码", 12, 4, 4), ("🔐🗝️ key", 15, 9, 7),
        ("e\u{301}", 3, 2, 2), ("😀", 4, 2, 1), ("\u{0}é", 3, 2, 2),
    ]

    @Test(arguments: old, passwords)
    mutating func eachWritersBeginning(
        version: FormatVersion, password: (text: String, bytes: Int, codeUnits: Int, codePoints: Int)
    ) throws {
        let utf8 = Array(password.text.utf8)
        let credential = try Credential.password(password.text)
        let lengths = [password.bytes, password.codeUnits, password.codePoints]
        let candidates = lengths.enumerated().filter { index, length in !lengths[..<index].contains(length) }
            .map(\.element)
        let plaintext = generator.bytes(100)
        for length in candidates {
            let written = try Credential.password(utf8: utf8.prefix(length))
            let header = header(version, password: true)
            let message = try Cryptor.encrypt(plaintext, with: written, header: header)
            let name = "\(version), \(length) bytes of \(utf8.count), \(generator)"

            let read = try Cryptor.decrypt(
                message, with: credential, accepting: Self.everything.withShortenedPasswords())
            #expect(read == plaintext, "\(name)")
            for chunking in [Chunking.whole, .fixed(1), .fixed(49)] {
                let reading = try ChunkedDecryption(
                    message, with: credential, accepting: Self.everything.withShortenedPasswords(), chunking)
                #expect(reading.verifiedPlaintext == plaintext, "\(name), \(chunking)")
                if candidates.count > 1 { #expect(reading.last == plaintext, "\(name): all of it at the end") }
            }
        }
        // A password with another first byte is wrong under every reading.
        let wrong = try Credential.password(utf8: [utf8[0] ^ 1] + utf8.dropFirst())
        let message = try message(plaintext, version, with: .password(utf8: utf8), password: true)
        #expect(throws: CryptorError.self) {
            try Cryptor.decrypt(message, with: wrong, accepting: Self.everything.withShortenedPasswords())
        }
    }

    /// Version 3 uses all bytes of the password, and no other reading is tried.
    @Test mutating func version3IsNeverTruncated() throws {
        let utf8 = Array("中文密码".utf8)
        let message = try message([1], .v3, with: .password(utf8: utf8.prefix(4)), password: true)
        let password = try Credential.password(utf8: utf8)
        for accepting in [Acceptance.default, .default.withShortenedPasswords()] {
            let error = #expect(throws: CryptorError.self) {
                try Cryptor.decrypt(message, with: password, accepting: accepting)
            }
            #expect(error?.code == .authenticationFailed && error?.mayNeedShortenedPassword == false)
        }
    }

    @Test func nothingElseIsHeldBack() throws {
        let keys = Credential.keys(try .random())
        var decryptor = try Decryptor(keys)
        var plaintext: [UInt8] = []
        try decryptor.update(
            Cryptor.encrypt([UInt8](repeating: 7, count: 1000), with: keys), unverifiedInto: &plaintext)
        #expect(decryptor.heldBackByteCount == 0)
        try decryptor.finish(into: &plaintext)
        #expect(plaintext.count == 1000)
    }

    @Test mutating func whatIsHeldBackHasALimit() throws {
        let credential = try Credential.password("中文密码")
        let message = try message(generator.bytes(1000), .v2, with: credential, password: true)
        for (limit, expected) in [(992, nil), (991, CryptorError.Code.messageTooLong)] {
            var decryptor = try Decryptor(
                credential, accepting: .default.withShortenedPasswords(), heldBackByteLimit: limit)
            var plaintext: [UInt8] = []
            var code: CryptorError.Code?
            do { try decryptor.update(message, unverifiedInto: &plaintext) } catch { code = error.code }
            #expect(code == expected, "limit \(limit)")
            #expect(plaintext.isEmpty, "nothing comes out before the end")
            #expect(decryptor.heldBackByteCount == (expected == nil ? 992 : 0))
            if expected == nil {
                try decryptor.finish(into: &plaintext)
                #expect(plaintext.count == 1000)
            }
        }
    }

    // MARK: What an unauthenticated header means

    @Test mutating func version1TakesAnAlteredIV() throws {
        let credential = Credential.keys(try generator.keyPair())
        let plaintext = Array("Pay to: Margaret 100 francs".utf8)
        var message = try message(plaintext, .v1UnauthenticatedHeader, with: credential, password: false)
        for (offset, pair) in zip("Margaret".utf8, "Benedict".utf8).enumerated() {
            message[2 + 8 + offset] ^= pair.0 ^ pair.1
        }
        let read = try Cryptor.decrypt(message, with: credential, accepting: [.v1UnauthenticatedHeader])
        #expect(read == Array("Pay to: Benedict 100 francs".utf8), "this is why version 1 is opted into")
        // Version 2 refuses such a change, because its HMAC covers the header.
        var second = try self.message(plaintext, .v2, with: credential, password: false)
        second[10] ^= 1
        #expect(throws: CryptorError.self) { try Cryptor.decrypt(second, with: credential) }
    }

    @Test(arguments: old)
    mutating func everythingElseIsRefused(version: FormatVersion) throws {
        let credential = Credential.keys(try generator.keyPair())
        let message = try message(generator.bytes(40), version, with: credential, password: false)
        let firstProtected = version.rules.authenticatesHeader ? 2 : 18
        for bit in firstProtected * 8..<message.count * 8 {
            var altered = message
            altered[bit / 8] ^= 1 << (bit % 8)
            let error = #expect(throws: CryptorError.self, "\(version), bit \(bit), \(generator)") {
                try Cryptor.decrypt(altered, with: credential, accepting: Self.everything)
            }
            #expect(error?.code == .authenticationFailed, "\(version), bit \(bit), \(generator)")
        }
    }

    // MARK: Version 0

    /// The counter of version 0 has only one byte, byte 0, so the keystream repeats after 4,096 bytes.
    @Test(arguments: [0, 1, 15, 16, 17, 4095, 4096, 4097, 20_000])
    mutating func version0AgainstBlocksOneByOne(count: Int) throws {
        let keys = try generator.keyPair()
        var iv = generator.bytes(16)
        iv[0] = 0xFE
        let plaintext = generator.bytes(count)
        let header = Header(version: .v0UnauthenticatedHeader, salts: nil, iv: iv)
        let message = try Cryptor.encrypt(plaintext, with: .keys(keys), header: header)
        #expect(message.count == 18 + count + 32)
        #expect(message.suffix(12).allSatisfy { $0 == 0 })
        var expected: [UInt8] = []
        for offset in stride(from: 0, to: count, by: 16) {
            // A block of the keystream is the CBC encryption of zeros with the counter as IV.
            var counter = iv
            counter[0] &+= UInt8(truncatingIfNeeded: offset / 16)
            let keystream = try BareCBC.encrypt(
                [UInt8](repeating: 0, count: 16), key: keys.encryptionKey, iv: counter)
            expected += zip(plaintext[offset...], keystream.prefix(16)).map { $0 ^ $1 }
        }
        #expect(sameBytes(Array(message.dropFirst(18).dropLast(32)), expected), "\(generator)")
        #expect(try Cryptor.decrypt(message, with: .keys(keys), accepting: Self.everything) == plaintext)
    }

    /// The options byte of version 0 says nothing: a password for a key message is just a wrong password.
    @Test mutating func version0LeavesItToTheCredential() throws {
        let keys = Credential.keys(try generator.keyPair())
        let password = try Credential.password("thepassword")
        let accepting: Acceptance = [.v0UnauthenticatedHeader]
        let keyMessage = try message(generator.bytes(100), .v0UnauthenticatedHeader, with: keys, password: false)
        let passwordMessage = try message(
            generator.bytes(100), .v0UnauthenticatedHeader, with: password, password: true)
        #expect(keyMessage[1] == 0 && passwordMessage[1] == 0)
        for (message, wrong) in [(keyMessage, password), (passwordMessage, keys)] {
            let error = #expect(throws: CryptorError.self) {
                try Cryptor.decrypt(message, with: wrong, accepting: accepting)
            }
            #expect(error?.code == .authenticationFailed)
        }
        #expect(try Header(parsing: keyMessage, version0UsesPassword: false).byteCount == 18)
        #expect(try Header(parsing: passwordMessage).byteCount == 34)
    }
}
