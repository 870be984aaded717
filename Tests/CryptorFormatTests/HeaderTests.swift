import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

@Suite struct HeaderTests {
    private static let keyHeader: [UInt8] = [3, 0] + Array(100..<116)
    private static let passwordHeader: [UInt8] = [3, 1] + Array(20..<28) + Array(40..<48) + Array(100..<116)

    private func code(_ bytes: some Collection<UInt8>) -> CryptorError.Code? {
        do throws(CryptorError) {
            _ = try Header(parsing: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func fieldsOfAKeyMessage() throws {
        let header = try Header(parsing: Self.keyHeader)
        #expect(header.version == .v3)
        #expect(!header.usesPassword)
        #expect(header.salts == nil)
        #expect(header.iv == Array(100..<116))
        #expect(header.byteCount == 18)
    }

    @Test func fieldsOfAPasswordMessage() throws {
        let header = try Header(parsing: Self.passwordHeader)
        #expect(header.version == .v3)
        #expect(header.usesPassword)
        #expect(header.salts?.encryption == Array(20..<28))
        #expect(header.salts?.hmac == Array(40..<48))
        #expect(header.iv == Array(100..<116))
        #expect(header.byteCount == 34)
    }

    @Test(arguments: [keyHeader, passwordHeader])
    func whatFollowsTheHeaderDoesNotMatter(bytes: [UInt8]) throws {
        let header = try Header(parsing: bytes)
        for following in [[0], [UInt8](repeating: 0xFF, count: 5000)] {
            #expect(try Header(parsing: bytes + following) == header)
            #expect(try Header(parsing: ([9, 9] + bytes + following).dropFirst(2)) == header)
            #expect(try Header(parsing: (bytes + following).lazy.map { $0 }) == header)
        }
    }

    @Test(arguments: [keyHeader, passwordHeader])
    func everyShorterStartIsTooShort(bytes: [UInt8]) {
        for count in 0..<bytes.count {
            #expect(code(bytes.prefix(count)) == .invalidMessageLength, "\(count) bytes")
        }
    }

    @Test func everyVersionByte() {
        for byte in UInt8.min...UInt8.max {
            let expected: CryptorError.Code? = FormatVersion(rawValue: byte) == nil ? .unsupportedVersion : nil
            // The bytes are enough for a password header, because version 0 is taken for one.
            let following = Self.keyHeader.dropFirst() + [UInt8](repeating: 0, count: 16)
            #expect(code([byte] + following) == expected, "version \(byte)")
        }
    }

    @Test func everyOptionsByte() {
        for byte in UInt8.min...UInt8.max {
            let expected: CryptorError.Code? = byte <= 1 ? nil : .unsupportedVersion
            #expect(code([3, byte] + Self.passwordHeader.dropFirst(2)) == expected, "options \(byte)")
        }
    }

    @Test func theDraftIsNamed() {
        let draft = Array("RNC".utf8) + [4] + [UInt8](repeating: 0, count: 100)
        let error = #expect(throws: CryptorError.self) { try Header(parsing: draft) }
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.description.contains("version 4 is a draft") == true)
        for other in ["RNC\u{5}", "RND\u{4}", "RNC", "R"] {
            let error = #expect(throws: CryptorError.self, "\(other.debugDescription)") {
                try Header(parsing: other.utf8)
            }
            #expect(error?.description.contains("draft") == false, "\(other.debugDescription)")
        }
    }

    private static let foreign: [(start: [UInt8], name: String)] = [
        (Array("age-encryption.org/v1\n".utf8), "an age file"),
        (Array("-----BEGIN AGE ENCRYPTED FILE-----\n".utf8), "an age file"),
        (Array("-----BEGIN PGP MESSAGE-----\n".utf8), "OpenPGP text"),
        (Array("-----BEGIN PRIVATE KEY-----\n".utf8), "PEM text"), (Array("-----BEGIN AGE".utf8) + [0], "PEM text"),
        (Array("Salted__".utf8), "'openssl enc'"), (Array("U2FsdGVkX1".utf8), "'openssl enc'"),
        (Array("%PDF-1.7".utf8), "a PDF"), (Array("PK\u{3}\u{4}".utf8), "a zip archive"), ([0x1F, 0x8B, 8], "a gzip"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "an xz"), ([0x28, 0xB5, 0x2F, 0xFD], "a Zstandard"),
        (Array("BZh9".utf8), "a bzip2"), ([0x8C, 0x0D, 4, 9], "an OpenPGP message"), ([0x85, 2], "an OpenPGP message"),
        ([0xC3], "an OpenPGP message"), ([UInt8](repeating: 0, count: 40), "zeros only"), ([0], "zeros only"),
        // These only resemble those above.
        (Array("Salted_".utf8) + [0], "The first byte is 83"), (Array("PK".utf8) + [5], "The first byte is 80"),
        ([0x8C, 0x0E], "The first byte is 140"), (Array("age-encryption.net".utf8), "The first byte is 97"),
        ([UInt8](repeating: 0, count: 33) + [1], "only versions 3 and 2 are accepted"),
        ([UInt8](repeating: 0, count: 34) + [1], "zeros only"), ([0, 1], "only versions 3 and 2 are accepted"),
    ]

    /// An error names other kinds of files, whatever the chunks are, and however short the input is.
    @Test(arguments: foreign) func otherFilesAreNamed(start: [UInt8], name: String) throws {
        let credential = Credential.keys(try KeyPair.random())
        for input in start[0] == 0 ? [start] : [start, start + LongBytes.bytes(100)] {
            var sentences: Set<String> = []
            for chunking in Chunking.everySize {
                for interface in StreamInterface.allCases {
                    let reading = try ChunkedDecryption(input, with: credential, chunking, through: interface)
                    #expect(reading.plaintext.isEmpty && reading.isSticky, "\(chunking)")
                    sentences.insert(reading.error?.description ?? "none")
                }
            }
            let error = #expect(throws: CryptorError.self) { try Cryptor.decrypt(input, with: credential) }
            sentences.insert(error?.description ?? "none")
            #expect(sentences.count == 1 && sentences.allSatisfy { $0.contains(name) }, "\(sentences)")
        }
    }

    /// Zeros do not lead to the advice to accept version 0. A caller that accepts it gets `authenticationFailed`.
    @Test func zerosAreNoVersion() throws {
        let zeros = [UInt8](repeating: 0, count: 1000)
        let keys = Credential.keys(try KeyPair.random())
        let error = #expect(throws: CryptorError.self) { try Cryptor.decrypt(zeros, with: keys) }
        #expect(error?.code == .unsupportedVersion && error?.description.contains("accepting") == false)
        let accepted = #expect(throws: CryptorError.self) {
            try Cryptor.decrypt(zeros, with: keys, accepting: [.v0UnauthenticatedHeader])
        }
        #expect(accepted?.code == .authenticationFailed)
    }

    @Test func base64IsNamed() {
        for text in ["A", "AwE", "AwA=", "AwEB\r\nabc/+", "AwEB-_ \t", String(repeating: "A", count: 5000)] {
            #expect(code(text.utf8) == .looksBase64Encoded, "\(text.prefix(20))")
        }
        for text in ["A!", "AwE\0", "A\u{e4}", "AwE\u{7f}", "BwE", "ZwE="] {
            #expect(code(text.utf8) == .unsupportedVersion, "\(text.debugDescription)")
        }
    }

    /// A stream decides after 1,024 bytes whether its input is base64, and so does everything else.
    @Test func theProbeForBase64IsTheSameEverywhere() throws {
        let credential = Credential.keys(try KeyPair.random())
        for offset in [1, 33, 34, 1000, 1023, 1024, 1025, 1999] {
            var text = [UInt8](repeating: UInt8(ascii: "A"), count: 2000)
            text[offset] = 0
            let expected: CryptorError.Code = offset < 1024 ? .unsupportedVersion : .looksBase64Encoded
            #expect(code(text) == expected, "no base64 at \(offset)")
            for chunking in Chunking.everySize + [.split(1023), .split(1024), .split(1025)] {
                for interface in StreamInterface.allCases {
                    let reading = try ChunkedDecryption(text, with: credential, chunking, through: interface)
                    #expect(reading.error?.code == expected, "no base64 at \(offset), \(chunking)")
                    #expect(reading.plaintext.isEmpty && reading.isSticky, "no base64 at \(offset), \(chunking)")
                }
            }
        }
    }
}
