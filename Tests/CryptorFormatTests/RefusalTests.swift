import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Input that is no message is refused at the first byte that shows it, by the same sentence
/// however it comes. The sentence has the right numbers and names, by which people find out what is
/// wrong.
@Suite struct RefusalTests {
    private let keys: Credential
    private static let header = [UInt8](repeating: 0, count: 16)

    init() throws { keys = .keys(try .random()) }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The one error for `input`: as a whole, and through streams in several chunkings.
    private func refusal(of input: [UInt8], accepting: Acceptance = .everything) throws
        -> CryptorError
    {
        let whole = try #require(
            try caughtError { _ = try Cryptor.decrypt(input, with: keys, accepting: accepting) },
            "\(input.shortHex)")
        let chunkings =
            [Chunking.whole, .fixed(1)] + (input.count > 5000 ? [] : [.fixed(17), .padded(16)])
        for chunking in chunkings {
            for interface in StreamInterface.allCases {
                let reading = try ChunkedDecryption(
                    input, with: keys, accepting: accepting, chunking, through: interface)
                let found = reading.error?.description ?? "no error"
                #expect(found == whole.description, "\(input.shortHex) \(chunking)")
                #expect(
                    reading.error?.code == whole.code && reading.isSticky,
                    "\(input.shortHex) \(chunking)")
                #expect(reading.last.isEmpty, "\(input.shortHex) \(chunking)")
            }
        }
        return whole
    }

    private typealias Sentence = (input: [UInt8], fault: Fault, words: String)

    private static let sentences: [Sentence] = lengths + texts

    private static let lengths: [Sentence] = {
        var all: [Sentence] = []
        // The shortest message of a version and a kind of credential, as far as they are known.
        let shortest: [([UInt8], Int)] = [
            ([3], 66), ([3, 0], 66), ([3, 1], 82), ([2, 0], 66), ([2, 1], 82), ([1, 1], 82),
            ([3, 0] + zeros(15), 66), ([3, 1] + zeros(31), 82), ([3, 0] + zeros(16), 66),
            ([3, 0] + zeros(63), 66),
        ]
        all += shortest.map { (start: [UInt8], minimum: Int) -> Sentence in
            let bytes = start.count == 1 ? "1 byte" : "\(start.count) bytes"
            return (
                start, .messageTooShort,
                "The message has \(bytes), but the shortest of its kind has \(minimum)."
            )
        }
        // The length is named even of a long message, whose start is gone when its end comes.
        all += [1, 3, 15, 1001, 100_003].map { (count: Int) -> Sentence in
            (
                [3, 0] + zeros(64 + count), .invalidMessageLength,
                "The message has \(66 + count) bytes, so its ciphertext"
            )
        }
        all += [
            ([], .messageTooShort, "The message is empty"),
            ([3, 2], .unsupportedOptions, "The options byte is 2,"),
            (text("RNC\u{4}") + zeros(100), .unsupportedVersion, "its first byte is 82."),
            (text("PK"), .unsupportedVersion, "its first byte is 80."),
        ]
        return all
    }()

    /// Text that looks like base64, in its first 1,024 bytes, in which a stream decides.
    private static let texts: [Sentence] = {
        var all: [Sentence] = [
            "A", "AwE", "AwA=", "AwEB\r\nabc/+", "AwEB-_ \t", String(repeating: "A", count: 5000),
        ]
        .map {
            (word: String) -> Sentence in
            (text(word), .looksBase64Encoded, "base64")
        }
        all += ["A!", "AwE\0", "A\u{e4}", "AwE\u{7f}", "BwE", "ZwE="].map {
            (word: String) -> Sentence in
            (text(word), .unsupportedVersion, "its first byte is")
        }
        all += [1, 33, 34, 1000, 1023, 1024, 1025, 1999].map { (offset: Int) -> Sentence in
            let input =
                [UInt8](repeating: UInt8(ascii: "A"), count: offset) + [0] + zeros(1999 - offset)
            return offset < 1024
                ? (input, .unsupportedVersion, "") : (input, .looksBase64Encoded, "")
        }
        return all
    }()

    @Test(arguments: sentences)
    func says(input: [UInt8], fault: Fault, words: String) throws {
        let error = try refusal(of: input)
        #expect(error.code == fault.code, "\(error)")
        #expect(words.isEmpty || error.description.contains(words), "\(error)")
        guard fault == .unsupportedVersion || fault == .looksBase64Encoded else { return }
        #expect(try caughtError { _ = try MessageHeader(parsing: input) }?.code == fault.code)
    }

    /// The number of bytes, fed one by one, with which a stream refuses. The rest need not be fed.
    private static let points: [(input: [UInt8], byteCount: Int)] = [
        ([9], 1), ([0x84], 1), ([3, 2], 2), ([0x1F, 0x8B], 1), (text("RNC\u{4}"), 1),
        // Zeros look like version 0 until another byte comes, or until a header is full of them.
        ([0, 1], 2), (zeros(33) + [1], 34), (zeros(34), 34), (text("A!"), 2),
        ([UInt8](repeating: UInt8(ascii: "A"), count: 1024), 1024),
        // Whether the version is accepted, and the credential of this kind, when the header is
        // complete: cut off within it, the message is too short.
        ([1, 0] + [UInt8](repeating: 7, count: 16), 18),
        ([3, 1] + [UInt8](repeating: 7, count: 32), 34),
    ]

    @Test(arguments: points)
    func atTheByteThatTells(input: [UInt8], byteCount: Int) throws {
        var decryptor = try Decryptor(keys)
        var plaintext: [UInt8] = []
        for (offset, byte) in (input + Self.zeros(100)).enumerated() {
            do { try decryptor.update([byte], unverifiedInto: &plaintext) } catch {
                #expect(offset + 1 == byteCount, "refused after so many bytes: \(error)")
                return
            }
        }
        Issue.record("not refused, and byte \(byteCount) was to be the last")
    }

    @Test(
        arguments: [
            ([], ".v3"), ([.v2], ".v3, .v2"),
            (
                [.v2, .v1UnauthenticatedHeader], ".v3, .v2, .v1UnauthenticatedHeader"
            ),
        ] as [(Acceptance, String)])
    func whichVersionsAreAccepted(accepting: Acceptance, list: String) throws {
        let error = try refusal(of: [3, 0] + Self.zeros(64), accepting: accepting)
        #expect(error.code == .versionNotAccepted)
        let expected =
            "The message begins like version 3, which is not accepted here. "
            + "'accepting: [\(list)]' accepts it as well."
        #expect(error.description == expected)
    }

    /// Zeros do not lead to the advice to read version 0. Who does so gets `authenticationFailed`.
    @Test(arguments: [1, 40, 1000]) func zerosAreNoVersion(count: Int) throws {
        let error = try refusal(of: Self.zeros(count), accepting: .default)
        #expect(
            error.code == .unsupportedVersion && error.description.contains("zero bytes only"),
            "\(error)")
        let other = try refusal(of: Self.zeros(33) + [1] + Self.zeros(32), accepting: .default)
        #expect(other.description.contains("version 0, which is not accepted"), "\(other)")
        let version0 = try caughtError {
            _ = try Cryptor.decryptVersion0(Self.zeros(count), with: keys)
        }
        #expect(version0?.code == (count < 50 ? .invalidMessageLength : .authenticationFailed))
    }

    /// What cannot be a message of an old version does not lead to the advice to accept that
    /// version.
    @Test(
        arguments: [
            ([0, 1] + zeros(98), .unsupportedOptions), ([0, 3] + zeros(98), .unsupportedOptions),
            ([1, 3] + zeros(80), .unsupportedOptions), ([1], .messageTooShort),
            ([0, 0, 0, 66, 3, 0] + zeros(12), .unsupportedVersion),
            ([0, 0, 0, 66, 3, 0] + zeros(43), .unsupportedVersion),
            ([1, 0] + zeros(17), .messageTooShort),
            ([1, 0] + zeros(65), .invalidMessageLength), ([1, 1] + zeros(80), .credentialMismatch),
            ([0, 0, 0, 66, 3, 0] + zeros(52) + [1] + zeros(11), .unsupportedVersion),
        ] as [([UInt8], Fault)])
    func whatAcceptingWouldNotRead(input: [UInt8], fault: Fault) throws {
        let error = try #require(try caughtError { _ = try Cryptor.decrypt(input, with: keys) })
        #expect(error.code == fault.code && error.versionToAccept == nil, "\(error)")
        #expect(!error.description.contains("accept"), "\(error)")
    }

    @Test(
        arguments: [
            ([1, 0] + zeros(64), 1, "'accepting: ["),
            ([0, 0, 1] + zeros(47), 0, "decryptVersion0"),
        ] as [([UInt8], UInt8, String)])
    func whatAcceptingMayRead(input: [UInt8], version: UInt8, advice: String) throws {
        let error = try refusal(of: input, accepting: .default)
        #expect(error.code == .versionNotAccepted && error.description.contains(advice))
        let whole = try caughtError { _ = try Cryptor.decrypt(input, with: keys) }
        #expect(whole?.versionToAccept == version)
    }

    /// What is not of version 0 is called what it is.
    @Test(
        arguments: [
            ([3, 0] + zeros(64), .unsupportedVersion, "has version 3, not version 0"),
            ([2, 1] + zeros(80), .unsupportedVersion, "has version 2, not version 0"),
            ([3], .messageTooShort, "has 1 byte,"),
            ([], .messageTooShort, "The message is empty"),
            ([0], .messageTooShort, "the shortest of its kind has 50"),
            ([0, 1] + zeros(98), .unsupportedOptions, "must be 0 in version 0"),
            ([9] + zeros(98), .unsupportedVersion, "its first byte is 9."),
            (text("AAAA"), .looksBase64Encoded, "base64"),
        ] as [([UInt8], Fault, String)])
    func otherStartsThanThoseOfVersion0(input: [UInt8], fault: Fault, words: String) throws {
        let error = try #require(
            try caughtError { _ = try Cryptor.decryptVersion0(input, with: keys) })
        #expect(error.code == fault.code && error.description.contains(words), "\(error)")
    }
}
