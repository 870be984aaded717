import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Every start of a message gives the same answer to the letter, on every way in, as it did before
/// the ways from bytes to keys became one. Two answers of streams were changed then: cut off within
/// the header, what is not accepted is too short; and it does not fit a credential of the other
/// kind, before its version is refused. So they say what whole messages do.
///
/// 2,016 cases of 106 lengths each. It costs two seconds, and two minutes with all of them.
@Suite(.unlessItHangs) struct AnswerTests {
    /// The ways (`W`: whole messages, `S`: streams), credentials, accepted versions, and the three
    /// bytes of the start: version, options, and all others. Then the answers, each from this
    /// length on.
    private static let table = """
        * * * 0 0 0: 0a 1b
        * * * 0 1 *: 0a 1b 2e
        * * * 0 2 *: 0a 1b 2f
        * * * 0 65 *: 0a 1b 2g
        * * * 1,2,3 2 *: 0a 1h 2m
        * * * 1,2,3 65 *: 0a 1h 2n
        * * * 255 * *: 0a 1s
        * * * 4 * *: 0a 1p
        * * * 65 0,1,2 *: 0a 1q 2r
        * * * 65 65 0,7: 0a 1q 3r
        * * * 65 65 65: 0a 1q
        * k * 1,2 1 *: 0a 1h 2k 34l
        * k,kp,ks all,def 2,3 0 *: 0a 1h 66o 67j 82o 83j 98o 99j 114o 1023j
        * k,kp,ks v1,all 1 0 *: 0a 1h 66o 67j 82o 83j 98o 99j 114o 1023j
        * k,ks * 3 1 *: 0a 1h 2k 34l
        * p,kp,ps all,def 3 1 *: 0a 1h 2k 82o 83j 98o 99j 114o 1023j
        * p,s,kp,ks,ps all,def 2 1 *: 0a 1h 2k 82o 83j 98o 99j 114o 1023j
        * p,s,kp,ks,ps v1,all 1 1 *: 0a 1h 2k 82o 83j 98o 99j 114o 1023j
        * p,s,ps * 1,2,3 0 *: 0a 1h 18y
        * s * 3 1 *: 0a 1h 2k 34z
        S * * 0 0 7,65: 0a 1b 3d
        S k,kp,ks def 1 0 *: 0a 1h 18i
        S k,kp,ks none 1 0 *: 0a 1h 18t
        S k,kp,ks none 2 0 *: 0a 1h 18u
        S k,kp,ks none 3 0 *: 0a 1h 18v
        S k,kp,ks v1 2 0 *: 0a 1h 18w
        S k,kp,ks v1 3 0 *: 0a 1h 18x
        S p,kp,ps none 3 1 *: 0a 1h 2k 34v
        S p,kp,ps v1 3 1 *: 0a 1h 2k 34x
        S p,s,kp,ks,ps def 1 1 *: 0a 1h 2k 34i
        S p,s,kp,ks,ps none 1 1 *: 0a 1h 2k 34t
        S p,s,kp,ks,ps none 2 1 *: 0a 1h 2k 34u
        S p,s,kp,ks,ps v1 2 1 *: 0a 1h 2k 34w
        W * * 0 0 7,65: 0a 1b 3c
        W k,kp,ks def 1 0 *: 0a 1h 66i 67j 82i 83j 98i 99j 114i 1023j
        W k,kp,ks none 1 0 *: 0a 1h 66t 67j 82t 83j 98t 99j 114t 1023j
        W k,kp,ks none 2 0 *: 0a 1h 66u 67j 82u 83j 98u 99j 114u 1023j
        W k,kp,ks none 3 0 *: 0a 1h 66v 67j 82v 83j 98v 99j 114v 1023j
        W k,kp,ks v1 2 0 *: 0a 1h 66w 67j 82w 83j 98w 99j 114w 1023j
        W k,kp,ks v1 3 0 *: 0a 1h 66x 67j 82x 83j 98x 99j 114x 1023j
        W p,kp,ps none 3 1 *: 0a 1h 2k 82v 83j 98v 99j 114v 1023j
        W p,kp,ps v1 3 1 *: 0a 1h 2k 82x 83j 98x 99j 114x 1023j
        W p,s,kp,ks,ps def 1 1 *: 0a 1h 2k 82i 83j 98i 99j 114i 1023j
        W p,s,kp,ks,ps none 1 1 *: 0a 1h 2k 82t 83j 98t 99j 114t 1023j
        W p,s,kp,ks,ps none 2 1 *: 0a 1h 2k 82u 83j 98u 99j 114u 1023j
        W p,s,kp,ks,ps v1 2 1 *: 0a 1h 2k 82w 83j 98w 99j 114w 1023j
        """

    private static let sentences: [Character: String] = [
        "a":
            "The message is empty: it was never written, or its contents were lost. Fetch it "
            + "again.",
        "b": "\(notAMessage): it begins with zero bytes only. Its contents were lost or never "
            + "written. Fetch it again.",
        "c": "\(notAMessage): it begins like version 0, but does not end like it. It is another "
            + "kind of file, or its end was lost or damaged.",
        "d": "\(begins(0)) \(unauthenticated) 'Cryptor.decryptVersion0(_:with:)' reads it.",
        "e": options(1, "0 in version 0"),
        "f": options(2, "0 in version 0"),
        "g": options(65, "0 in version 0"),
        "h": tooShort(66),
        "i": "\(begins(1)) \(unauthenticated) "
            + accepting(".v3, .v2, .v1UnauthenticatedHeader"),
        "j": "The message has # bytes, so its ciphertext is not a multiple of 16. Bytes were lost "
            + "or added: fetch it again in binary.",
        "k": tooShort(82),
        "l": "The message was encrypted with a password, but keys were given. Use the password.",
        "m": options(2, "0 (keys) or 1 (password)"),
        "n": options(65, "0 (keys) or 1 (password)"),
        "o": "Wrong password or keys, or the message was altered.",
        "p": foreign(4),
        "q": "This looks like base64 text. Decode it first, then decrypt the bytes. "
            + "'Cryptor.message(fromBase64:)' decodes it; for files, 'FileOptions(base64: true)'.",
        "r": foreign(65),
        "s": foreign(255),
        "t": "\(begins(1)) \(unauthenticated) \(accepting(".v1UnauthenticatedHeader"))",
        "u": "\(begins(2)) \(accepting(".v2"))",
        "v": "\(begins(3)) \(accepting(".v3"))",
        "w": "\(begins(2)) \(accepting(".v2, .v1UnauthenticatedHeader"))",
        "x": "\(begins(3)) \(accepting(".v3, .v1UnauthenticatedHeader"))",
        "y": "The message was encrypted with keys, but a password was given. Use the keys.",
        "z": "A shortened reading of a password opens only password messages of versions 2 to 0. "
            + "Use the whole password.",
    ]

    private static let notAMessage = "This is not an RNCryptor message"
    private static let unauthenticated =
        "Anybody can alter such a header unnoticed. Read the message only if you trust where it "
        + "comes from, then encrypt it again."

    private static func begins(_ version: Int) -> String {
        "The message begins like version \(version), which is not accepted here."
    }
    private static func accepting(_ list: String) -> String {
        "'accepting: [\(list)]' accepts it as well."
    }
    private static func options(_ options: Int, _ known: String) -> String {
        "The options byte is \(options), but must be \(known). The message was damaged, or written "
            + "by a faulty program."
    }
    private static func tooShort(_ minimum: Int) -> String {
        "The message has # bytes, but the shortest of its kind has \(minimum). It is not an "
            + "RNCryptor message, or its end is missing: fetch it again."
    }
    private static func foreign(_ first: Int) -> String {
        "\(notAMessage) of version 1 to 3: its first byte is \(first). It is another kind of file, "
            + "was damaged, or was written by a newer program."
    }

    private struct Case: Sendable {
        let credential: (name: String, value: Credential)
        let accepting: (name: String, value: Acceptance)
        let version: UInt8
        let options: UInt8
        let others: UInt8

        func message(_ count: Int) -> [UInt8] {
            Array(([version, options] + [UInt8](repeating: others, count: count)).prefix(count))
        }

        /// The answers of the table, each with the length from which on it is due.
        func answers(_ way: String) -> [(byteCount: Int, sentence: String)]? {
            let fields = [
                way, credential.name, accepting.name, "\(version)", "\(options)", "\(others)",
            ]
            for line in table.split(separator: "\n") {
                let parts = line.split(separator: ":")
                let isThis = zip(parts[0].split(separator: " "), fields).allSatisfy { list, field in
                    list == "*" || list.split(separator: ",").contains { $0 == field }
                }
                guard isThis else { continue }
                return parts[1].split(separator: " ").compactMap { answer in
                    guard let count = Int(answer.dropLast()), let name = answer.last,
                        let sentence = sentences[name]
                    else { return nil }
                    return (count, sentence)
                }
            }
            return nil
        }
    }

    private static func cases() throws -> [Case] {
        let keys = Credential.keys(
            try MessageKeys(hexadecimal: String(repeating: "0123456789abcdef", count: 8)))
        let password = try Credential.password("h\u{e9}llo", iterations: 1)
        let short = try #require(password.shortenedReadings.first)
        let other = try Credential.password("x", iterations: 1)
        let credentials: [(String, Credential)] = [
            ("k", keys), ("p", password), ("s", short),
            ("kp", try .keyring(primary: keys, previous: [password, other])),
            ("ps", try .keyring(primary: password, previous: [short])),
            ("ks", try .keyring(primary: keys, previous: [short])),
        ]
        let acceptances: [(String, Acceptance)] = [
            ("def", .default), ("all", .everything), ("none", []), ("v1", .v1UnauthenticatedHeader),
        ]
        var cases: [Case] = []
        for credential in credentials {
            for acceptance in acceptances {
                for version in [0, 1, 2, 3, 4, 65, 255] as [UInt8] {
                    for options in [0, 1, 2, 65] as [UInt8] {
                        for others in [0, 7, 65] as [UInt8] {
                            cases.append(
                                Case(
                                    credential: credential, accepting: acceptance, version: version,
                                    options: options, others: others))
                        }
                    }
                }
            }
        }
        return cases
    }

    private typealias Way = (
        name: String, read: @Sendable (Case, KeyedCryptor, [UInt8]) throws -> [UInt8]
    )

    private static let whole: [Way] = [
        (
            "array",
            { try Cryptor.decrypt($2, with: $0.credential.value, accepting: $0.accepting.value) }
        ),
        (
            "lazy bytes",
            {
                try Cryptor.decrypt(
                    $2.lazy.map { $0 }, with: $0.credential.value, accepting: $0.accepting.value)
            }
        ),
        ("KeyedCryptor", { try $1.decrypt($2, accepting: $0.accepting.value) }),
        (
            "KeyedCryptor.openAll",
            { try $1.openAll([$2], accepting: $0.accepting.value)[0].get().plaintext }
        ),
    ]

    private static func stream(_ chunking: Chunking) -> Way {
        (
            "stream \(chunking)",
            {
                var decryptor = try Decryptor(
                    $0.credential.value, accepting: $0.accepting.value)
                var plaintext: [UInt8] = []
                for chunk in chunking.chunks(of: $2) {
                    try decryptor.update(chunk, unverifiedInto: &plaintext)
                }
                try decryptor.finish(into: &plaintext)
                return plaintext
            }
        )
    }

    @Test func asRecorded() throws {
        let cases = try Self.cases()
        #expect(cases.count == 2016)
        let streams = [Self.stream(.whole), Self.stream(.fixed(1))]
        for trial in sample(64, of: cases) {
            let cryptor = try KeyedCryptor(trial.credential.value)
            for (kind, ways) in [("W", Self.whole), ("S", streams)] {
                let answers = try #require(trial.answers(kind), "\(trial) \(kind)")
                for count in Array(0...100) + [114, 130, 1023, 1024, 1100] {
                    let message = trial.message(count)
                    let bytes = count == 1 ? "1 byte" : "\(count) bytes"
                    let expected = answers.last { $0.byteCount <= count }?.sentence
                        .replacing("# bytes", with: bytes, maxReplacements: 1)
                    for way in ways {
                        let error = try caughtError { _ = try way.read(trial, cryptor, message) }
                        #expect(
                            error?.description == expected,
                            "\(way.name), \(trial), \(count) bytes, \(SeededGenerator())")
                    }
                }
            }
        }
    }
}
