import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// Passwords that are bytes and not text. None of their readings may be empty, because everybody knows the empty one.
@Suite struct PasswordBytesTests {
    private static let accepting = Acceptance.everything.withShortenedPasswords()
    private static let old: [FormatVersion] = [.v2, .v1UnauthenticatedHeader, .v0UnauthenticatedHeader]

    private func message(_ version: FormatVersion, password: [UInt8]) throws -> [UInt8] {
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let header = Header(version: version, salts: salts, iv: Array(16..<32))
        return try Cryptor.encrypt([1, 2, 3], with: .password(utf8: password), header: header)
    }

    /// No character begins in these bytes, so no reading is shorter. To HMAC, a zero byte is the empty password.
    @Test(arguments: old, [[0x80], [0x80, 0xBF], [0xA9, 0x80, 0x80]] as [[UInt8]])
    func hasNoEmptyReading(version: FormatVersion, password: [UInt8]) throws {
        let credential = try Credential.password(utf8: password)
        let forged = try message(version, password: [0])
        let refusal = #expect(throws: CryptorError.self) {
            try Cryptor.decrypt(forged, with: credential, accepting: Self.accepting)
        }
        #expect(refusal?.code == .authenticationFailed)
        for chunking in [Chunking.whole, .fixed(17)] {
            let reading = try ChunkedDecryption(forged, with: credential, accepting: Self.accepting, chunking)
            #expect(reading.error?.code == .authenticationFailed, "\(chunking)")
        }
        // The error does not advise accepting shortened readings, because there are none.
        let error = #expect(throws: CryptorError.self) {
            try Cryptor.decrypt(forged, with: credential, accepting: .everything)
        }
        #expect(error?.mayNeedShortenedPassword == false)
        let own = try message(version, password: password)
        #expect(try Cryptor.decrypt(own, with: credential, accepting: Self.accepting) == [1, 2, 3])
    }

    /// HMAC fills keys of up to 64 bytes with zeros, and hashes longer ones (RFC 2104, section 2).
    @Test(arguments: [(1, true), (61, true), (62, false), (100, false)])
    func zeroBytesAtItsEnd(count: Int, isTheSame: Bool) throws {
        let message = try message(.v3, password: Array("abc".utf8))
        let longer = Array("abc".utf8) + [UInt8](repeating: 0, count: count)
        let plaintext = try? Cryptor.decrypt(message, with: .password(utf8: longer)) as [UInt8]
        #expect((plaintext == [1, 2, 3]) == isTheSame, "\(count) zero bytes")
    }

    /// One character begins in these bytes, so the first byte alone is a reading.
    @Test(arguments: old)
    func hasTheReadingOfItsOnlyCharacter(version: FormatVersion) throws {
        let credential = try Credential.password(utf8: [0x80, 0xBF, 0x41])
        let shortened = try message(version, password: [0x80])
        #expect(try Cryptor.decrypt(shortened, with: credential, accepting: Self.accepting) == [1, 2, 3])
        let error = #expect(throws: CryptorError.self) {
            try Cryptor.decrypt(shortened, with: credential, accepting: .everything)
        }
        #expect(error?.code == .authenticationFailed && error?.mayNeedShortenedPassword == true)
    }
}
