import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFormat

/// Every vector, readable or refused, gives the same plaintext or the same error on every way into
/// the library, and nothing else comes out on the way. A test that finds no vectors does not pass.
@Suite(.unlessItHangs) struct VectorTests {
    private static let readable = Result { try VectorDirectory.readable() }
    private static let refused = Result { try VectorDirectory.refused() }

    /// Every vector, and once more those that a shortened reading of the password opens: without
    /// that option they must be refused, and with it only they may be read. Under another number of
    /// iterations, the password is wrong.
    ///
    /// A message that starts as one of version 0 is read as such, and once more refused elsewhere.
    private static let trials = Result {
        let all = try readable.get().flatMap(trials(of:)) + refused.get().flatMap(trials(of:))
        return all.flatMap { trial -> [Trial] in
            guard trial.message.first == 0 else { return [trial] }
            var version0 = trial
            version0.isOfVersion0 = true
            return [version0, trial.elsewhere]
        }
    }

    private static func trials(of vector: ReadableVector) -> [Trial] {
        let trial = Trial(
            description: vector.name, secret: vector.secret, message: vector.message,
            base64: vector.base64, isShortened: vector.needsShortenedPassword,
            expected: .success(vector.plaintext))
        let refused = vector.secret.underStandardIterations.map { secret in
            Trial(
                description: "\(vector), 10,000 iterations", secret: secret,
                message: vector.message,
                isShortened: vector.needsShortenedPassword,
                expected: .failure(.authenticationFailed))
        }
        let underAllBytes =
            vector.needsShortenedPassword ? trial.underAllBytes(.authenticationFailed) : nil
        return [trial, refused, underAllBytes].compactMap { $0 }
    }

    private static func trials(of vector: RefusedVector) -> [Trial] {
        let trial = Trial(
            description: vector.name, secret: vector.secret, message: vector.message,
            isShortened: true,
            expected: vector.forgedPlaintext.map { .success($0) } ?? .failure(vector.fault))
        return [trial.underAllBytes(vector.fault)]
            + (vector.forgedPlaintext == nil ? [] : [trial])
    }

    /// Those that streams are given.
    private static let streamed = Result { try trials.get().filter { !$0.isOfVersion0 } }

    @Test(arguments: try trials.get())
    func everyWayIn(_ trial: Trial) async throws {
        guard trial.isRefusedWithoutKeys else {
            return try await trial.checkEveryWayIn(releasable: trial.releasable())
        }
        // Where keys were derived all the same, the work would wait here.
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        let watch = Task {
            var isWaiting = false
            while !Task.isCancelled, !isWaiting {
                isWaiting = pool.messages.count > 0
                try? await Task.sleep(for: .milliseconds(1))
            }
            blocker.open()
            return isWaiting
        }
        try await trial.checkEveryWayIn(on: pool, releasable: trial.releasable())
        watch.cancel()
        #expect(await watch.value == false, "\(trial): keys are derived")
    }

    /// With keys every chunking, and every cut in two. With a password, where each reading costs a
    /// derivation, some.
    @Test(arguments: try streamed.get())
    func everyChunkingOfAStream(_ trial: Trial) throws {
        let random = Chunking.random(SeededGenerator(), maximum: 70)
        let isQuick = !trial.secret.isPassword || trial.isRefusedWithoutKeys
        let sizes = Chunking.everySize + [random]
        let cuts = isQuick ? Chunking.everySplit(of: trial.message.count) : []
        let releasable = try trial.releasable()
        for (interface, chunkings) in isQuick
            ? [(StreamInterface.arrays, sizes + cuts), (.spans, sizes)]
            : [(.arrays, [.whole, .fixed(1), random]), (.spans, [.fixed(17), .padded(16)])]
        {
            for chunking in chunkings {
                let flaw = trial.flaw(
                    in: try trial.stream(chunking, interface), releasable: releasable,
                    isStream: true)
                #expect(flaw == nil, "\(trial) \(chunking), \(interface)")
            }
        }
    }

    /// A fault that shows without a key costs no derivation.
    @Test(arguments: try trials.get().filter(\.isRefusedWithoutKeys))
    func derivesNoKey(_ trial: Trial) throws {
        let credential = try trial.secret.credential
        // `decryptAll` writes a message first.
        let ways = trial.isOfVersion0 ? WayIn.version0InMemory : WayIn.inMemory
        for (name, work) in ways where name != "decryptAll" {
            #expect(
                DerivationCounter.count { _ = try? work(trial, credential) } == 0,
                "\(trial), \(name)")
        }
        for chunking in [Chunking.whole, .fixed(1), .padded(16)] where !trial.isOfVersion0 {
            #expect(
                try DerivationCounter.count { _ = try trial.stream(chunking) } == 0,
                "\(trial) \(chunking)")
        }
    }

    /// The counter counts, and so does it for a message of a wrong length, but only in a stream.
    @Test func theCounterCounts() throws {
        let credential = try Credential.password("password")
        let message = try Cryptor.encrypt([1, 2, 3], with: credential)
        #expect(try DerivationCounter.count { _ = try Encryptor(credential) } >= 2)
        #expect(
            try DerivationCounter.count { _ = try Cryptor.decrypt(message, with: credential) } >= 2)
        #expect(
            try DerivationCounter.count {
                _ = try ChunkedDecryption(message, with: credential, .fixed(1))
            } >= 2)
        #expect(
            DerivationCounter.count { _ = try? Cryptor.decrypt(message + [0], with: credential) }
                == 0)
        // Keys that were derived elsewhere are not derived again.
        let header = try MessageHeader(parsing: message)
        let keys = try credential.keys(for: header)
        var decryptor = try Decryptor(credential)
        var plaintext: [UInt8] = []
        let count = try DerivationCounter.count {
            // All of it may be the last block and the tag.
            let taken = try decryptor.take(message, deriving: false, unverifiedInto: &plaintext)
            #expect(taken == message.count)
            let reading = try #require(try decryptor.unansweredReadingAtEnd())
            #expect(reading.header == header)
            try decryptor.begin(reading.answeringFirst(by: keys))
            #expect(try decryptor.unansweredReadingAtEnd() == nil)
        }
        try decryptor.finish(into: &plaintext)
        #expect(count == 0 && plaintext == [1, 2, 3])
        let long = try Cryptor.encrypt([UInt8](repeating: 1, count: 100), with: credential)
        var other = try Decryptor(credential)
        #expect(
            try other.take(long, deriving: false, unverifiedInto: &plaintext)
                == FormatVersion.longestHeaderByteCount)
        // The length of base64 text shows when it has been read.
        let (directory, options) = (
            try TemporaryDirectory(), FileOptions(overwriting: true, base64: true)
        )
        let (text, output) = (directory.path("text"), directory.path("output"))
        for (bytes, derives) in [(message, true), (message + [0], false)] {
            try directory.write(Array(Cryptor.base64Text(of: bytes).utf8), to: "text")
            let count = DerivationCounter.count {
                _ = try? Cryptor.decryptFile(
                    at: text, to: output, with: credential, options: options)
            }
            #expect((count > 0) == derives)
        }
    }

    /// What other implementations wrote is written to the byte, and the header is read as it was.
    @Test(arguments: try readable.get())
    func isWrittenAgain(_ vector: ReadableVector) throws {
        let isPassword = vector.secret.isPassword
        if vector.version > 0 {
            let header = try MessageHeader(parsing: vector.message)
            #expect(header.version.rawValue == vector.version, "\(vector)")
            #expect(header.usesPassword == isPassword, "\(vector)")
            #expect(header.byteCount == (isPassword ? 34 : 18), "\(vector)")
        }
        guard let writer = vector.writer else { return }
        let whole = try writer.message(of: vector.plaintext, with: vector.writtenWith)
        #expect(sameBytes(whole, vector.message), "\(vector): actual \(whole.shortHex)")
        guard let expected = writer.header else { return }
        #expect(try MessageHeader(parsing: vector.message) == expected, "\(vector)")
        let random = Chunking.random(SeededGenerator(), maximum: 70)
        let cuts = Chunking.everySize + Chunking.everySplit(of: vector.plaintext.count)
        for (interface, chunkings) in isPassword
            ? [(StreamInterface.arrays, [.fixed(1), random]), (.spans, [.fixed(17)])]
            : [(.arrays, cuts + [random]), (.spans, Chunking.everySize)]
        {
            for chunking in chunkings {
                let written = try ChunkedEncryption(
                    vector.plaintext, with: vector.writtenWith, header: expected, chunking,
                    through: interface
                ).message
                #expect(
                    sameBytes(written, vector.message),
                    "\(vector) \(chunking): actual \(written.shortHex)")
            }
        }
    }

    /// Keys that are kept serve all messages with the same salts and password, and no other
    /// message.
    @Test func sharedSalts() throws {
        let vectors = try Self.readable.get().filter { $0.name.contains("/shared-salts-") }
        try #require(vectors.count == 6)
        let cryptor = try KeyedCryptor(vectors[0].secret.credential)
        for (vector, isDerived) in zip(vectors, [true, false, false, true, true]) {
            let opened = try cryptor.openAtOnce(vector.message, accepting: [.v3])?.plaintext
            #expect(opened == (isDerived ? nil : vector.plaintext), "\(vector)")
            #expect(try cryptor.decrypt(vector.message) == vector.plaintext, "\(vector)")
        }
        #expect(
            try caughtError { _ = try cryptor.decrypt(vectors[5].message) } == .authenticationFailed
        )
    }

    /// Messages of a mebibyte have the expected hash when they are written, and can be read on
    /// every way.
    @Test(arguments: try VectorDirectory.long())
    func ofAMebibyte(_ vector: LongVector) async throws {
        #expect(
            digest("SHA256", of: vector.plaintext) == vector.plaintextSHA256,
            "\(vector): the test's own plaintext")
        let message = try vector.writer.message(
            of: vector.plaintext, with: vector.writtenWith)
        #expect(message.count == vector.messageByteCount, "\(vector)")
        #expect(digest("SHA256", of: message) == vector.messageSHA256, "\(vector)")
        let trial = Trial(
            description: vector.name, secret: vector.secret, message: message,
            isShortened: vector.needsShortenedPassword, isOfVersion0: message.first == 0,
            expected: .success(vector.plaintext))
        for trial in trial.isOfVersion0 ? [trial, trial.elsewhere] : [trial] {
            for way in WayIn.all where !way.isUnverified && way.isTried(with: trial, number: 0) {
                let flaw = trial.flaw(
                    in: try await way.read(trial, .shared), countsOnly: way.countsOnly,
                    isStream: way.isStream(of: message))
                #expect(flaw == nil, "\(trial), \(way)")
            }
            for chunking in [Chunking.fixed(65_536), .fixed(100_003)] where !trial.isOfVersion0 {
                let flaw = trial.flaw(in: try trial.stream(chunking), isStream: true)
                #expect(flaw == nil, "\(trial) \(chunking)")
            }
        }
    }

    // MARK: The directories

    private static let names = Result {
        let cases: [[any Vector]] = [
            try VectorDirectory.derivations(), try readable.get(), try refused.get(),
            try VectorDirectory.long(),
        ]
        return cases.joined().map(\.name)
    }

    @Test(arguments: VectorDirectory.all)
    func noneWasLost(from directory: VectorDirectory) throws {
        let count = try Self.names.get().count { $0.hasPrefix("\(directory)/") }
        #expect(count >= directory.minimumCount, "\(directory)")
    }

    @Test func everyFileIsRead() throws {
        let read = try Self.names.get()
        let files = try VectorDirectory.everyFile()
        #expect(Set(read) == files, "\(files.symmetricDifference(read).sorted()) are not read")
        #expect(read.count == files.count, "a file was read twice")
    }

    /// Every fault has a vector. Other implementations wrote messages of every version, in both
    /// modes.
    @Test func everyKindIsThere() throws {
        let faults = Set(Fault.allCases).subtracting([.versionNotAccepted])
        #expect(Set(try Self.refused.get().map(\.fault)) == faults)
        #expect(try Self.refused.get().count { $0.forgedPlaintext != nil } >= 15)
        let others = try Self.readable.get().filter { $0.peer != nil }
        #expect(others.count >= 79 && Set(others.compactMap(\.peer)).count >= 16, "languages")
        #expect(Set(others.map { "\($0.version) \($0.secret.isPassword)" }).count == 8)
        #expect(others.count(where: \.needsShortenedPassword) == 9)
        #expect(try Self.readable.get().count(where: \.secret.isEmptyPassword) == 1)
        #expect(try Self.readable.get().count { $0.base64 != nil } >= 14)
        #expect(others.count { $0.secret.underStandardIterations != nil } == 6)
    }
}

extension Trial {
    /// The same message without shortened readings.
    fileprivate func underAllBytes(_ fault: Fault) -> Trial {
        Trial(
            description: "\(description), under all bytes", secret: secret, message: message,
            expected: .failure(fault))
    }
}
