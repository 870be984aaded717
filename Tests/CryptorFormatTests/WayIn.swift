import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Foundation
import Synchronization
import Testing

@testable import CryptorAsync
@testable import CryptorFormat

/// A message, and what has to become of it.
struct Trial: Sendable, CustomStringConvertible {
    let description: String
    let secret: Secret
    let message: [UInt8]
    /// The message as text, if that is what files hold.
    var base64: [UInt8]?
    var accepting: Acceptance = .everything
    /// Whether shortened readings of the password are tried.
    var isShortened = false
    /// Whether it is read as a message of version 0, in the ways that read it, and in no other.
    var isOfVersion0 = false
    /// The plaintext, or what is wrong.
    let expected: Result<[UInt8], Fault>
    /// What is wrong for streams, which do not know the end of the message, if that differs.
    var faultInStreams: Fault?

    /// What is given to open it, if that is not the secret.
    var keyring: Credential?

    var credential: Credential {
        get throws { try keyring ?? secret.credential.withShortenedReadings(isShortened) }
    }

    var text: [UInt8] { base64 ?? Array(Cryptor.base64Text(of: message).utf8) }

    /// How files are read.
    var options: FileOptions { FileOptions(base64: base64 != nil) }

    /// Whether it must be refused before a key is derived, by streams as well.
    var isRefusedWithoutKeys: Bool {
        guard case .failure(let fault) = expected else { return false }
        return fault.precedesTheMAC && fault != .invalidMessageLength
    }

    /// Decrypts the message in memory, through a stream.
    func stream(_ chunking: Chunking, _ interface: StreamInterface = .arrays) throws -> Outcome {
        let reading = try ChunkedDecryption(
            message, with: credential, accepting: accepting, chunking, through: interface)
        return Outcome(
            released: reading.plaintext, error: reading.error,
            isFinal: reading.isSticky && (reading.error == nil || reading.last.isEmpty))
    }

    /// What a stream may release of it before it fails.
    func releasable() throws -> [UInt8] {
        let isHeldBack = isShortened && message.first != 3 && secret.hasShortenedReadings
        return isHeldBack ? [] : try BareCBC.releasable(of: message, with: secret)
    }

    /// The same message where version 0 is not read. Nothing says more about it than that it is not
    /// accepted, and not even that where the message cannot be of version 0.
    var elsewhere: Trial {
        var fault = Fault.versionNotAccepted
        var faultInStreams: Fault?
        if message.dropFirst().first != 0 {
            fault = .unsupportedOptions
        } else if message.count < 50 || message.suffix(12).contains(where: { $0 != 0 }) {
            fault = .unsupportedVersion
            faultInStreams = .versionNotAccepted
        }
        return Trial(
            description: "\(description), not read", secret: secret, message: message,
            base64: base64, accepting: accepting, isShortened: isShortened,
            expected: .failure(fault), faultInStreams: faultInStreams, keyring: keyring)
    }

    /// Reads the message on every way that is tried, and expects what has to become of it.
    /// - Parameter releasable: what may come out before an error, where that is not verified.
    func checkEveryWayIn(on pool: CryptorPool = .shared, releasable: [UInt8] = []) async throws {
        for (number, way) in WayIn.all.enumerated() where way.isTried(with: self, number: number) {
            let outcome = try await way.read(self, pool)
            let flaw = flaw(
                in: outcome, releasable: way.isUnverified ? releasable : [],
                countsOnly: way.countsOnly, isStream: way.isStream(of: message))
            #expect(flaw == nil, "\(self), \(way), \(SeededGenerator())")
        }
    }

    /// What is wrong with an outcome; nil if nothing is.
    /// - Parameters:
    ///   - releasable: what may have come out before an error.
    ///   - isStream: whether the end of the message was not known.
    func flaw(
        in outcome: Outcome, releasable: [UInt8] = [], countsOnly: Bool = false,
        isStream: Bool = false
    ) -> String? {
        let (bytes, code): ([UInt8], CryptorError.Code?) =
            switch expected {
            case .success(let plaintext): (plaintext, nil)
            case .failure(let fault):
                (releasable, (isStream ? faultInStreams : nil)?.code ?? fault.code)
            }
        if outcome.error?.code != code {
            return
                "expected \(code?.description ?? "no error"), "
                + "actual \(outcome.error?.description ?? "no error")"
        }
        if code == .versionNotAccepted, message.first == 0, let error = outcome.error {
            guard error.description.contains("'Cryptor.decryptVersion0(_:with:)' reads it") else {
                return "no advice in: \(error)"
            }
            guard isStream || error.versionToAccept == 0 else {
                return "not known to be of version 0: \(error)"
            }
        }
        if !outcome.isFinal { return "its end or its error is not the last word" }
        let isRight =
            countsOnly ? outcome.released.count == bytes.count : sameBytes(outcome.released, bytes)
        return isRight ? nil : "expected \(bytes.shortHex), actual \(outcome.released.shortHex)"
    }
}

extension Secret {
    /// Whether some writers of old versions used only the beginning of such a password.
    var hasShortenedReadings: Bool {
        guard case .password(let text, _) = self else { return false }
        return text.unicodeScalars.count < text.utf8.count
    }
}

/// What came out of a message.
struct Outcome {
    var released: [UInt8] = []
    var error: CryptorError?
    /// Whether later calls changed nothing.
    var isFinal = true

    init(released: [UInt8], error: CryptorError?, isFinal: Bool) {
        (self.released, self.error, self.isFinal) = (released, error, isFinal)
    }

    init(of work: () async throws -> [UInt8]) async throws {
        do { released = try await work() } catch let error as CryptorError { self.error = error }
    }
}

/// A way in which the library reads a message.
struct WayIn: Sendable, CustomStringConvertible {
    let description: String
    /// Whether what it releases is unverified.
    var isUnverified = false
    /// Whether the message comes in chunks, and nothing unverified goes out.
    var isCollected = false
    /// Whether it only tells how long the plaintext is.
    var countsOnly = false
    var isBase64 = false
    /// The oldest version that it reads. Whatever it is, version 0 is refused.
    var oldestVersion: UInt8 = 1
    var version0 = Version0.refused
    var isInMemory = false
    let read: @Sendable (Trial, CryptorPool) async throws -> Outcome

    /// What becomes of messages of version 0.
    enum Version0 { case refused, readAlone, readLikeOthers }

    /// All ways but the synchronous streams, which have a test of their own.
    static let all: [WayIn] = {
        var ways = inMemory.map { name, work in
            WayIn(description: name, isInMemory: true) { trial, _ in
                try await Outcome { try work(trial, trial.credential) }
            }
        }
        for others in [keyed, files, onAPool, sequences] { ways += others }
        ways += version0InMemory.map { name, work in
            WayIn(description: name, version0: .readAlone, isInMemory: true) { trial, _ in
                try await Outcome { try work(trial, trial.credential) }
            }
        }
        return ways + version0Files
    }()

    /// Whether it is tried. A password costs a key derivation each time: a quarter of them has to
    /// do for ways that take a file, a pool or a sequence to the same reading, unless the file
    /// holds text.
    func isTried(with trial: Trial, number: Int) -> Bool {
        // What is base64 already and is encoded once more is no message in base64.
        if isBase64 && trial.expected == .failure(.looksBase64Encoded) { return false }
        let version = trial.message.first ?? 3
        if version > 0, version < oldestVersion { return false }
        switch version0 {
        case .refused: if trial.isOfVersion0 { return false }
        case .readAlone: if !trial.isOfVersion0 { return false }
        case .readLikeOthers: if version == 0, !trial.isOfVersion0 { return false }
        }
        return isInMemory || !trial.secret.isPassword || trial.isRefusedWithoutKeys
            || trial.base64 != nil
            || (Int(trial.message.last ?? 0) + number) % 4 == 0
    }

    /// Whether the header is read before the end of the message is known.
    func isStream(of message: [UInt8]) -> Bool {
        // How long a file of base64 is shows when it has been read.
        isUnverified || isCollected
            || isBase64 && message.count >= MessageHeader.base64ProbeByteCount
    }

    // MARK: In memory

    static let inMemory: [(name: String, work: @Sendable (Trial, Credential) throws -> [UInt8])] = [
        ("array", { try Cryptor.decrypt($0.message, with: $1, accepting: $0.accepting) }),
        ("open", { try Cryptor.open($0.message, with: $1, accepting: $0.accepting).plaintext }),
        (
            "lazy bytes",
            { try Cryptor.decrypt($0.message.lazy.map { $0 }, with: $1, accepting: $0.accepting) }
        ),
        (
            "a part of Data",
            { Array(try Cryptor.decrypt($0.part, with: $1, accepting: $0.accepting) as Data) }
        ),
        ("watched memory", { try watched($0, $1) }),
        (
            "text",
            {
                try Cryptor.decrypt(
                    Cryptor.message(fromBase64: $0.text), with: $1, accepting: $0.accepting)
            }
        ),
        (
            "decryptAll",
            { trial, credential in
                // The cryptor would not write under too few iterations.
                let salts = MessageHeader.Salts(encryption: Array(1...8), hmac: Array(9...16))
                let header = MessageHeader(
                    salts: credential.password != nil ? salts : nil, iv: Array(1...16))
                let sound = try Cryptor.encrypt([1, 2, 3], with: credential, header: header)
                let results = try KeyedCryptor(credential).decryptAll(
                    [sound, trial.message, sound], accepting: trial.accepting.with(.v3))
                #expect(
                    results.count == 3 && results[0] == .success([1, 2, 3])
                        && results[2] == results[0])
                return try results[1].get()
            }
        ),
    ]

    /// Without a list of versions, it reads 3 and 2.
    private static func keyed(
        _ name: String, from version: UInt8 = 1,
        _ work: @escaping @Sendable (KeyedCryptor, Trial) throws -> [UInt8]
    ) -> WayIn {
        WayIn(description: name, oldestVersion: version) { trial, _ in
            let cryptor = try KeyedCryptor(trial.credential)
            return try await Outcome { try work(cryptor, trial) }
        }
    }

    private static let keyed = [
        keyed("KeyedCryptor.open") { try $0.open($1.message, accepting: $1.accepting).plaintext },
        keyed("KeyedCryptor") { try $0.decrypt($1.message, accepting: $1.accepting) },
        keyed("KeyedCryptor, of Data", from: 2) { try $0.decrypt($1.part) },
        keyed("KeyedCryptor, of Data into Data") {
            Array(try $0.decrypt($1.part, accepting: $1.accepting) as Data)
        },
        keyed("KeyedCryptor.decryptAll") {
            try $0.decryptAll([$1.message], accepting: $1.accepting)[0].get()
        },
        keyed("KeyedCryptor.decryptAll, of Data into Data") {
            let results: [Result<Data, CryptorError>] = $0.decryptAll(
                [$1.part], accepting: $1.accepting)
            return Array(try results[0].get())
        },
        keyed("KeyedCryptor, span", from: 2) { cryptor, trial in
            // Room for the ciphertext is enough.
            let isOfPassword = trial.message.dropFirst().first == 1
            let room = max(0, trial.message.count - (isOfPassword ? 66 : 50))
            return try intoZeros(room) { (output) throws(CryptorError) in
                try withRawSpan(of: trial.message) { (message) throws(CryptorError) in
                    try cryptor.decrypt(message, into: &output)
                }
            }
        },
    ]

    /// Lets the library write into memory of zeros. After an error they must all be left: nobody
    /// owns the plaintext. What is behind them is not the library's.
    static func intoZeros(
        _ capacity: Int, _ work: (inout OutputRawSpan) throws(CryptorError) -> Void
    ) throws(CryptorError) -> [UInt8] {
        let all = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity + 64, alignment: 16)
        defer { all.deallocate() }
        all.initializeMemory(as: UInt8.self, repeating: 0)
        let memory = UnsafeMutableRawBufferPointer(rebasing: all.prefix(capacity))
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        defer { #expect(all.dropFirst(capacity).allSatisfy { $0 == 0 }, "written behind the room") }
        do throws(CryptorError) { try work(&output) } catch {
            #expect(memory.allSatisfy { $0 == 0 }, "left after \(error): \(Array(memory).shortHex)")
            #expect(output.byteCount == 0, "\(output.byteCount) bytes after \(error)")
            throw error
        }
        return Array(memory.prefix(output.byteCount))
    }

    /// A whole message, into memory whose contents can be seen after an error.
    static func watched(_ trial: Trial, _ credential: Credential) throws -> [UInt8] {
        struct Watched: WrittenBytes {
            let bytes: [UInt8]

            init<Failure: Error>(
                byteCapacity capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
            ) throws(Failure) {
                var failure: Failure?
                let bytes = try? WayIn.intoZeros(capacity) { (output) throws(CryptorError) in
                    do throws(Failure) { try body(&output) } catch {
                        failure = error
                        throw .cancelled
                    }
                }
                if let failure { throw failure }
                self.bytes = bytes ?? []
            }
        }
        let found: Opened<Watched> = try Cryptor.open(trial.message) {
            (message) throws(CryptorError) in
            try credential.reading(ofWhole: message, accepting: trial.accepting)
        }
        return found.plaintext.bytes
    }

    // MARK: Files

    /// A directory with a message, and the names of what is made of it.
    struct Place {
        let directory: TemporaryDirectory
        let keys: Credential
        var source: String { directory.path("message") }
        var destination: String { directory.path("plaintext") }

        /// The plaintext of the message that has taken the first one's place.
        func rekeyed(isBase64: Bool) throws -> [UInt8] {
            let written = try directory.read("message")
            let message = isBase64 ? try Cryptor.message(fromBase64: written) : written
            return try Cryptor.decrypt(message, with: keys, accepting: [.v3])
        }
    }

    /// `work` returns nil if the plaintext is in the destination.
    private static func file(
        _ name: String, countsOnly: Bool = false, base64: Bool = false,
        version0: Version0 = .refused,
        _ work: @escaping @Sendable (Trial, Place, CryptorPool) async throws -> [UInt8]?
    ) -> WayIn {
        WayIn(
            description: name, countsOnly: countsOnly, isBase64: base64, version0: version0
        ) { trial, pool in
            let place = Place(
                directory: try TemporaryDirectory(in: FileSystems.all.last),
                keys: .keys(try .random()))
            try place.directory.write(
                base64 ? trial.text : trial.base64 ?? trial.message, to: "message")
            let outcome = try await Outcome {
                if let bytes = try await work(trial, place, pool) { return bytes }
                return try place.directory.read("plaintext")
            }
            let left = try place.directory.names()
            #expect(
                outcome.error == nil || left == ["message"], "\(trial), \(name): \(left) are there")
            return outcome
        }
    }

    private static func file(
        _ name: String, countsOnly: Bool = false, base64: Bool = false,
        version0: Version0 = .refused,
        here work: @escaping @Sendable (Trial, Place) throws -> [UInt8]?
    ) -> WayIn {
        file(name, countsOnly: countsOnly, base64: base64, version0: version0) { trial, place, _ in
            try work(trial, place)
        }
    }

    private static func decrypts(_ name: String, base64: Bool) -> WayIn {
        file(name, base64: base64) { trial, place in
            try Cryptor.decryptFile(
                at: place.source, to: place.destination, with: trial.credential,
                accepting: trial.accepting,
                options: base64 ? FileOptions(base64: true) : trial.options)
            return nil
        }
    }

    private static let files = [
        decrypts("file", base64: false), decrypts("file of base64", base64: true),
        file("file into a pipe") { trial, place in
            let reader = try PipeReader()
            let stream = FileEndpoint.descriptor(try #require(reader.writeEnd))
            let error = try caughtError {
                try Cryptor.decryptFile(
                    at: place.source, to: stream, with: trial.credential,
                    accepting: trial.accepting,
                    options: trial.options)
            }
            let released = try reader.finish()
            #expect(
                error == nil || released.isEmpty,
                "\(trial): \(released.shortHex) came out of the pipe")
            if let error { throw error }
            return released
        },
        file("verifyFile", countsOnly: true) { trial, place in
            let count = try Cryptor.verifyFile(
                at: place.source, with: trial.credential, accepting: trial.accepting,
                options: trial.options)
            return [UInt8](repeating: 0, count: count)
        },
        file("rekeyFile in place") { trial, place in
            try Cryptor.rekeyFile(
                at: place.source, to: place.source, from: trial.credential, into: place.keys,
                accepting: trial.accepting, options: trial.options)
            return try place.rekeyed(isBase64: trial.base64 != nil)
        },
        file("VerifiedFile") { trial, place in
            let file = try VerifiedFile(
                at: place.source, with: trial.credential, accepting: trial.accepting,
                options: trial.options)
            return try file.read(0..<file.plaintextByteCount)
        },
    ]

    // MARK: Version 0

    static let version0InMemory:
        [(name: String, work: @Sendable (Trial, Credential) throws -> [UInt8])] = [
            ("version 0, array", { try Cryptor.decryptVersion0($0.message, with: $1) }),
            ("version 0, a part of Data", { try Cryptor.decryptVersion0($0.part, with: $1) }),
            (
                "version 0, lazy bytes",
                { try Cryptor.decryptVersion0($0.message.lazy.map { $0 }, with: $1) }
            ),
        ]

    /// Reads a file as the command does with `--accept v0`.
    /// - Parameter work: takes a source, and a destination, if there is one.
    private static func version0File(
        _ name: String, countsOnly: Bool = false, base64: Bool = false,
        here work: @escaping @Sendable (Trial, Place, FileOptions) throws -> [UInt8]?
    ) -> WayIn {
        file(
            "version 0, \(name)", countsOnly: countsOnly, base64: base64, version0: .readLikeOthers
        ) { trial, place in
            var options = base64 ? FileOptions(base64: true) : trial.options
            options.readsVersion0 = true
            return try work(trial, place, options)
        }
    }

    private static let version0Files = [
        version0File("file") { trial, place, options in
            try decrypt(trial, place.source, to: place.destination, options)
        },
        version0File("file of base64", base64: true) { trial, place, options in
            try decrypt(trial, place.source, to: place.destination, options)
        },
        version0File("pipe") { trial, place, options in
            let writer = try PipeWriter(place.directory.read("message"))
            return try decrypt(trial, writer.source, to: place.destination, options)
        },
        version0File("received") { trial, place, options in
            var plaintext: [UInt8] = []
            try Cryptor.decryptFile(
                at: place.source, with: trial.credential, accepting: trial.accepting,
                options: options
            ) { plaintext += $0 }
            return plaintext
        },
        version0File("verified", countsOnly: true) { trial, place, options in
            let count = try Cryptor.verifyFile(
                at: place.source, with: trial.credential, accepting: trial.accepting,
                options: options)
            return [UInt8](repeating: 0, count: count)
        },
        version0File("rekeyed in place") { trial, place, options in
            try rekey(trial, place, options)
        },
        version0File("base64 rekeyed in place", base64: true) { trial, place, options in
            try rekey(trial, place, options)
        },
    ]

    private static func decrypt(
        _ trial: Trial, _ source: some FileLocation, to destination: String, _ options: FileOptions
    ) throws -> [UInt8]? {
        try Cryptor.decryptFile(
            at: source, to: destination, with: trial.credential, accepting: trial.accepting,
            options: options)
        return nil
    }

    private static func rekey(
        _ trial: Trial, _ place: Place, _ options: FileOptions
    ) throws -> [UInt8]? {
        try Cryptor.rekeyFile(
            at: place.source, to: place.source, from: trial.credential, into: place.keys,
            accepting: trial.accepting, options: options)
        return try place.rekeyed(isBase64: options.base64)
    }

    // MARK: Pools and sequences

    private static let onAPool = [
        WayIn(description: "pool") { trial, pool in
            try await Outcome {
                try await pool.decrypt(
                    trial.message, with: trial.credential, accepting: trial.accepting)
            }
        },
        WayIn(description: "pool, of Data") { trial, pool in
            try await Outcome {
                let credential = try trial.credential
                return try await pool.decrypt(
                    trial.part, with: credential, accepting: trial.accepting)
            }
        },
        WayIn(description: "pool, of Data into Data") { trial, pool in
            try await Outcome {
                let credential = try trial.credential
                let plaintext: Data = try await pool.decrypt(
                    trial.part, with: credential, accepting: trial.accepting)
                return Array(plaintext)
            }
        },
        // Another pool, because the keys of this cryptor are derived whatever the message is.
        WayIn(description: "pool, keyedCryptor") { trial, _ in
            let cryptor = try await CryptorPool.shared.keyedCryptor(for: trial.credential)
            return try await Outcome {
                try cryptor.decrypt(trial.message, accepting: trial.accepting)
            }
        },
        WayIn(description: "pool, KeyedCryptor") { trial, pool in
            try await Outcome {
                let credential = try KeyedCryptor(trial.credential).credential
                return try await pool.decrypt(
                    trial.message, with: credential, accepting: trial.accepting)
            }
        },
        file("pool, file") { trial, place, pool in
            try await pool.decryptFile(
                at: place.source, to: place.destination, with: trial.credential,
                accepting: trial.accepting,
                options: trial.options)
            return nil
        },
        file("pool, file in chunks") { trial, place, pool in
            let chunks = Notes<[UInt8]>()
            try await pool.decryptFile(
                at: place.source, with: trial.credential, accepting: trial.accepting,
                options: trial.options
            ) { chunks.add($0) }
            return chunks.all.flatMap { $0 }
        },
        file("pool, VerifiedFile in chunks") { trial, place, pool in
            let file = try await pool.verifiedFile(
                at: place.source, with: trial.credential, accepting: trial.accepting,
                options: trial.options)
            return try await file.chunks(upTo: 100 + trial.message.count / 10, on: pool).reduce(
                into: []) { $0 += $1 }
        },
    ]

    private static func sequence<Chunk: Collection<UInt8> & Sendable>(
        _ chunking: Chunking, of chunk: @escaping @Sendable (ArraySlice<UInt8>) -> Chunk
    ) -> WayIn {
        WayIn(description: "sequence of \(Chunk.self) \(chunking)", isUnverified: true) {
            trial, pool in
            let source = ChunkSource(chunking.chunks(of: trial.message).map(chunk))
            let reading = await ReadSequence(
                source.decryptedUnverified(
                    with: try trial.credential, accepting: trial.accepting, on: pool))
            let error = reading.error as? CryptorError
            #expect(
                reading.error == nil || error != nil,
                "\(trial): \(String(describing: reading.error))")
            let isFinal = reading.isSticky && reading.chunks.allSatisfy { !$0.isEmpty }
            return Outcome(released: reading.bytes, error: error, isFinal: isFinal)
        }
    }

    private static let sequences = [
        sequence(.whole) { $0 }, sequence(.fixed(1)) { ScatteredView($0) },
        sequence(.padded(16)) { ContiguousArray($0) },
        sequence(.random(SeededGenerator(), maximum: 70)) { Data($0) },
        WayIn(description: "collected sequence", isCollected: true) { trial, _ in
            let source = ChunkSource(
                Chunking.padded(33 + trial.message.count / 50).chunks(of: trial.message))
            return try await Outcome {
                try await Cryptor.decrypt(
                    collecting: source, upTo: trial.message.count, with: trial.credential,
                    accepting: trial.accepting)
            }
        },
    ]
}

extension Trial {
    /// The message as Data whose first index is not 0.
    fileprivate var part: Data {
        (Data([1, 2]) + Data(message) + Data([3])).dropFirst(2).dropLast()
    }
}

extension Acceptance {
    fileprivate func with(_ version: FormatVersion) -> Acceptance {
        union(Acceptance([version]))
    }
}
