import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The sentences of errors have the right numbers and names, by which people find out what is wrong.
@Suite struct RefusalSentenceTests {
    private let keys: Credential

    init() throws {
        keys = .keys(try .random())
    }

    /// The sentences of the errors for `input`, as a whole message and as a stream.
    private func sentences(of input: [UInt8], accepting: Acceptance = .everything) throws -> [String] {
        let whole = #expect(throws: CryptorError.self, "\(input.shortHex)") {
            try Cryptor.decrypt(input, with: keys, accepting: accepting)
        }
        let streams = try [Chunking.whole, .fixed(1)].map { chunking in
            try ChunkedDecryption(input, with: keys, accepting: accepting, chunking).error
        }
        return ([whole] + streams).map { $0?.description ?? "none" }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Starts of messages, and the minimum length that the error names for any, a key, or a password message.
    private static let short: [(start: [UInt8], minimum: Int)] = [
        ([3], 50), ([0], 50), ([3, 0], 66), ([3, 1], 82), ([2, 0], 66), ([2, 1], 82), ([1, 1], 82),
        ([0, 0], 50),
        ([3, 0] + zeros(15), 66), ([3, 1] + zeros(31), 82), ([3, 0] + zeros(16), 66), ([3, 0] + zeros(63), 66),
        ([0, 0] + zeros(47), 50),
    ]

    @Test(arguments: short)
    func howShortItIs(start: [UInt8], minimum: Int) throws {
        let expected = "The message has \(start.count) bytes, and the shortest of its kind has \(minimum)."
        for sentence in try sentences(of: start) { #expect(sentence.hasPrefix(expected), "\(sentence)") }
    }

    @Test func thatItIsEmpty() throws {
        for sentence in try sentences(of: []) { #expect(sentence.hasPrefix("The message is empty"), "\(sentence)") }
    }

    /// The error names the length even of a long message, whose start is gone when its end comes.
    @Test(arguments: [1, 3, 15, 1001, 100_003], [Acceptance.default, .everything.withShortenedPasswords()])
    func howLongItIs(byteCount: Int, accepting: Acceptance) throws {
        let input = [3, 0] + Self.zeros(16) + Self.zeros(48) + Self.zeros(byteCount)
        let folder = try TemporaryFolder()
        try folder.write(input, to: "message")
        let expected = "The message has \(input.count) bytes, so its ciphertext"
        for sentence in try sentences(of: input, accepting: accepting) {
            #expect(sentence.hasPrefix(expected), "\(sentence)")
        }
        // The length of text, like that of a pipe, is not known in advance.
        try folder.write(Cryptor.base64Text(of: input), to: "text")
        let error = try caughtError {
            try Cryptor.verifyFile(
                at: folder.path("text"), with: keys, accepting: accepting, options: FileOptions(base64: true))
        }
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    /// A wrong options byte is reported before a wrong length.
    @Test func optionsOfTwoBytes() throws {
        for sentence in try sentences(of: [3, 2]) {
            #expect(sentence.hasPrefix("The options byte is 2,"), "\(sentence)")
        }
    }

    private static let accepted: [(accepting: Acceptance, words: String)] = [
        ([], "no version is"), ([.v2], "only version 2 is"),
        ([.v1UnauthenticatedHeader, .v2], "only versions 2 and 1 are"),
        ([.v0UnauthenticatedHeader, .v2, .v1UnauthenticatedHeader], "only versions 2 and 1 and 0 are"),
    ]

    @Test(arguments: accepted)
    func whichVersionsAreAccepted(accepting: Acceptance, words: String) throws {
        for sentence in try sentences(of: [3, 0] + Self.zeros(64), accepting: accepting) {
            #expect(sentence.hasPrefix("The input starts as version 3, and \(words) accepted here."), "\(sentence)")
        }
    }

    /// The packets with which an OpenPGP message can begin are recognised, and those beside them are not.
    @Test(arguments: [(0x83, false), (0x84, true), (0x85, true), (0x86, false)] as [(UInt8, Bool)])
    func packetsOfTheOldFormat(byte: UInt8, isNamed: Bool) throws { try expectOpenPGP(byte, isNamed) }

    @Test(arguments: [(0xC0, false), (0xC1, true), (0xC2, false), (0xC3, true), (0xC4, false)] as [(UInt8, Bool)])
    func packetsOfTheNewFormat(byte: UInt8, isNamed: Bool) throws { try expectOpenPGP(byte, isNamed) }

    private func expectOpenPGP(_ byte: UInt8, _ isNamed: Bool) throws {
        let expected = isNamed ? "The input starts like an OpenPGP message" : "The first byte is \(byte),"
        for sentence in try sentences(of: [byte] + Self.zeros(99)) {
            #expect(sentence.hasPrefix(expected), "\(sentence)")
        }
    }

    /// The advice to use keys comes only with a failure that has to do with salts.
    @Test(arguments: [("error:1C800112:Provider routines::invalid salt length", true), ("error:0000", false)])
    func adviceOnSalts(reason: String, isGiven: Bool) {
        let error = CryptorError.openSSL(OpenSSLError(function: "PKCS5_PBKDF2_HMAC", reason: reason))
        #expect(error.description.hasPrefix("OpenSSL failed: PKCS5_PBKDF2_HMAC: \(reason)."))
        #expect(error.description.contains("use keys") == isGiven, "\(error)")
        let silent = CryptorError.openSSL(OpenSSLError(function: "EVP_MAC_final", reason: nil))
        #expect(silent.description == "OpenSSL failed: EVP_MAC_final failed and gave no reason.")
    }
}
