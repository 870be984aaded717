import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Random messages of all versions, read with random keyrings on every way in, against a model that
/// knows who wrote them.
///
/// It costs two seconds; thoroughly, a minute.
@Suite(.unlessItHangs) struct RandomKeyringTests {
    private static let texts = ["one", "zwei \u{1F40E}", "tr\u{ea}s", "\u{43d}\u{435}\u{442}"]

    /// What may write a message: a secret, or a shortened reading of a password.
    private struct Writer {
        let secret: Secret
        let credential: Credential
        var isShortened = false

        /// Whether it may be tried on such a message.
        func fits(_ version: FormatVersion, usesPassword: Bool) -> Bool {
            secret.isPassword == usesPassword && (!isShortened || version != .v3)
        }
    }

    private static func writers(_ generator: inout SeededGenerator) throws -> [Writer] {
        var writers = try texts.map { text in
            let secret = Secret.password(text, iterations: 1)
            return Writer(secret: secret, credential: try secret.credential)
        }
        for writer in writers {
            writers += writer.credential.shortenedReadings.map {
                Writer(secret: writer.secret, credential: $0, isShortened: true)
            }
        }
        for _ in 0..<3 {
            let secret = Secret.keys(
                encryption: generator.bytes(32), hmac: generator.bytes(32))
            writers.append(Writer(secret: secret, credential: try secret.credential))
        }
        return writers
    }

    @Test func asTheModelSays() async throws {
        var generator = SeededGenerator()
        for round in 0..<rounds(100, thorough: 3000) {
            let writers = try Self.writers(&generator).shuffled(using: &generator)
            guard let primary = writers.firstIndex(where: { !$0.isShortened }) else { continue }
            var ring = Array(writers.prefix(Int.random(in: 1...6, using: &generator)))
            ring.removeAll { sameBytes(of: $0, writers[primary]) }
            ring.insert(writers[primary], at: 0)
            let keyring = try Credential.keyring(
                primary: ring[0].credential, previous: ring.dropFirst().map(\.credential))

            let version = try #require(FormatVersion.allCases.randomElement(using: &generator))
            let able = writers.filter { !$0.isShortened || version != .v3 }
            let writer = try #require(able.randomElement(using: &generator))
            let usesPassword = writer.secret.isPassword
            let salts = MessageHeader.Salts(
                encryption: generator.bytes(8), hmac: generator.bytes(8))
            let header = MessageHeader(
                version: version, salts: usesPassword ? salts : nil, iv: generator.bytes(16))
            let plaintext = generator.bytes(Int.random(in: 0...200, using: &generator))
            let message = try Cryptor.encrypt(
                plaintext, with: writer.credential, header: header)
            let accepting: Acceptance = Bool.random(using: &generator) ? .default : .everything

            let tried = ring.filter { $0.fits(version, usesPassword: usesPassword) }
            let index = ring.firstIndex { sameBytes(of: $0, writer) }
            let expected: Result<[UInt8], CryptorTestSupport.Fault> =
                if tried.isEmpty {
                    .failure(.credentialMismatch)
                } else if !accepting.accepts(version) {
                    .failure(.versionNotAccepted)
                } else if index != nil {
                    .success(plaintext)
                } else {
                    .failure(.authenticationFailed)
                }
            let trial = Trial(
                description:
                    "round \(round), version \(version.rawValue), \(ring.count) in the ring",
                secret: writer.secret, message: message, accepting: accepting, expected: expected,
                keyring: keyring)
            // A stream releases what its only candidate makes of the message.
            var releasable: [UInt8] = []
            if expected == .failure(.authenticationFailed), tried.count == 1 {
                let keys = try tried[0].credential.keys(for: header)
                let whole = message.dropFirst(header.byteCount).dropLast(48)
                releasable = try BareCBC.plaintext(
                    of: Array(whole), key: keys.encryptionKey, iv: header.iv)
            }
            try await trial.checkEveryWayIn(releasable: releasable)
            for chunking in [Chunking.whole, .fixed(1), .padded(16)] {
                let flaw = trial.flaw(
                    in: try trial.stream(chunking), releasable: releasable, isStream: true)
                #expect(flaw == nil, "\(trial), stream \(chunking), \(generator)")
            }
            if case .success = expected {
                let opened = try Cryptor.open(message, with: keyring, accepting: accepting)
                #expect(opened.credentialIndex == index, "\(trial), \(generator)")
                #expect(opened.needsRotation == (index != 0 || version != .v3), "\(trial)")
                let all = try KeyedCryptor(keyring).openAll(
                    [message, message], accepting: accepting)
                for opened in all { #expect(try opened.get().credentialIndex == index) }
            }
        }
    }

    /// Whether both are the same credential.
    private func sameBytes(of one: Writer, _ two: Writer) -> Bool {
        one.credential.primary.isEqual(to: two.credential.primary)
    }
}
