import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Streams ask for exactly the room that they need, go on when they get it, and hold back the tail and nothing else.
@Suite struct StreamTests {
    private let credential: Credential
    private let header: Header
    private let plaintext: [UInt8]
    private let message: [UInt8]

    init() throws {
        var generator = SeededGenerator()
        credential = .keys(try generator.keyPair())
        header = Header(salts: nil, iv: generator.bytes(16))
        plaintext = generator.bytes(200)
        message = try Cryptor.encrypt(plaintext, with: credential, header: header)
    }

    // MARK: Room

    /// What `call` throws when it has `room` bytes of room. If it throws, it must not write anything.
    private func code(
        room: Int, _ call: (inout OutputRawSpan) throws(CryptorError) -> Void
    ) -> CryptorError.Code? {
        var output: [UInt8] = []
        do throws(CryptorError) { try withRoom(for: room, appendingTo: &output, call) } catch {
            #expect(output.isEmpty, "wrote \(output.shortHex) all the same")
            return error.code
        }
        return nil
    }

    /// `outputTooSmall` is the only error after which a stream goes on: nothing was consumed, and nothing was written.
    @Test(arguments: [1, 5, 16, 17, 40, 100, 200])
    func anEncryptorAsksForWhatItAppends(chunkSize: Int) throws {
        var reference = try Encryptor(credential, header: header)
        var encryptor = try Encryptor(credential, header: header)
        var written: [UInt8] = []
        for chunk in [[]] + Chunking.fixed(chunkSize).chunks(of: plaintext) {
            var expected: [UInt8] = []
            try reference.update(chunk, into: &expected)
            for room in 0..<expected.count {
                let code = code(room: room) { (output) throws(CryptorError) in
                    try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                        try encryptor.update(chunk, into: &output)
                    }
                }
                #expect(code == .outputTooSmall, "room for \(room) of \(expected.count) bytes")
            }
            try withRoom(for: expected.count, appendingTo: &written) { (output) throws(CryptorError) in
                try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                    try encryptor.update(chunk, into: &output)
                }
            }
        }
        try encryptor.finish(into: &written)
        #expect(written == message, "\(SeededGenerator())")
    }

    /// Chunks of up to 50 bytes need no more room than for what comes out. Longer ones may hold a header and
    /// ciphertext.
    @Test(arguments: [1, 5, 16, 17, 40, 50, 100, 300])
    func aDecryptorGoesOnWithMoreRoom(chunkSize: Int) throws {
        var reference = try Decryptor(credential)
        var decryptor = try Decryptor(credential)
        var read: [UInt8] = []
        for chunk in Chunking.fixed(chunkSize).chunks(of: message) {
            var expected: [UInt8] = []
            try reference.update(chunk, unverifiedInto: &expected)
            for room in 0..<expected.count {
                let code = code(room: room) { (output) throws(CryptorError) in
                    try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                        try decryptor.update(chunk, unverifiedInto: &output)
                    }
                }
                #expect(code == .outputTooSmall, "room for \(room) of \(expected.count) bytes")
            }
            let room = chunkSize > 50 ? Decryptor.maximumOutputByteCount(for: chunk.count) : expected.count
            try withRoom(for: room, appendingTo: &read) { (output) throws(CryptorError) in
                try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                    try decryptor.update(chunk, unverifiedInto: &output)
                }
            }
        }
        try decryptor.finish(into: &read)
        #expect(read == plaintext, "\(SeededGenerator())")
    }

    /// If `finish` has no room, it has consumed the stream, and the message stays incomplete: it must not look
    /// complete.
    @Test func finishAsksForWhatItAppends() throws {
        for (hasStarted, needed) in [(true, 48), (false, 18 + 48)] {
            for room in 0...needed {
                var encryptor = Optional(try Encryptor(credential, header: header))
                var start: [UInt8] = []
                if hasStarted { try encryptor?.update(plaintext, into: &start) }
                let code = code(room: room) { (output) throws(CryptorError) in
                    try encryptor.take()?.finish(into: &output)
                }
                #expect(code == (room < needed ? .outputTooSmall : nil), "room for \(room) of \(needed) bytes")
            }
        }
        for count in 0..<16 {
            let message = try Cryptor.encrypt(plaintext.prefix(32 + count), with: credential)
            for room in 0...count {
                var decryptor = Optional(try Decryptor(credential))
                var start: [UInt8] = []
                try decryptor?.update(message, unverifiedInto: &start)
                #expect(start == Array(plaintext.prefix(32)))
                let code = code(room: room) { (output) throws(CryptorError) in
                    try decryptor.take()?.finish(into: &output)
                }
                #expect(code == (room < count ? .outputTooSmall : nil), "room for \(room) of \(count) bytes")
            }
        }
    }

    /// Plaintext that is held back needs room only at the end, and then for all of it. So does a `KeyedCryptor`,
    /// whether or not the message is authentic.
    @Test func whatComesOutAtOnceNeedsRoomForAll() throws {
        let password = try Credential.password("p\u{e4}ssword")
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let header = Header(version: .v2, salts: salts, iv: Array(16..<32))
        let message = try Cryptor.encrypt(plaintext, with: password, header: header)
        for room in [0, 16, 199, 200] {
            var decryptor = Optional(
                try Decryptor(password, accepting: .default.withShortenedPasswords()))
            var early: [UInt8] = []
            try decryptor?.update(message.prefix(100), unverifiedInto: &early)
            for chunk in Chunking.fixed(30).chunks(of: Array(message.dropFirst(100))) {
                let code = code(room: 0) { (output) throws(CryptorError) in
                    try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                        try decryptor?.update(chunk, unverifiedInto: &output)
                    }
                }
                #expect(code == nil && early.isEmpty)
            }
            let code = code(room: room) { (output) throws(CryptorError) in
                try decryptor.take()?.finish(into: &output)
            }
            #expect(code == (room < 200 ? .outputTooSmall : nil), "room for \(room) bytes")
        }
        for (count, version) in [(0, FormatVersion.v3), (16, .v2), (64, .v3), (300_000, .v3)] {
            let keys = try KeyPair.random()
            let cryptor = try KeyedCryptor(keys)
            let header = Header(version: version, salts: nil, iv: [UInt8](repeating: 1, count: 16))
            var message = try Cryptor.encrypt(LongBytes.bytes(count), with: .keys(keys), header: header)
            for last: CryptorError.Code? in [nil, .authenticationFailed] {
                for (room, expected) in [(message.count - 51, .outputTooSmall), (message.count - 50, last)] {
                    let code = code(room: room) { (output) throws(CryptorError) in
                        try withRawSpan(of: message) { (message) throws(CryptorError) in
                            try cryptor.decrypt(message, into: &output)
                        }
                    }
                    #expect(code == expected, "\(count) bytes, room for \(room)")
                }
                message[message.count - 1] ^= 1
            }
        }
    }

    // MARK: The tail

    /// The framing alone, without a cipher, for tails and blocks of the format and others. Releases of at most
    /// `copied` bytes are copied: few if it is 0, and all if it is longer than the input.
    private static let framings = [0, 1000].flatMap { copied in
        [(48, 16), (32, 1), (32, 16), (16, 16), (1, 7), (0, 16)].map { (tail: $0.0, block: $0.1, copied: copied) }
    }

    private static let input = (0..<200).map { UInt8($0) }

    /// What is wrong with what the holdback did, in words; nil if nothing is.
    private func problem(
        _ framing: (tail: Int, block: Int, copied: Int), _ input: ArraySlice<UInt8>, _ chunking: Chunking
    ) -> String? {
        var holdback = TailHoldback(
            BodyFraming(tailByteCount: framing.tail, blockByteCount: framing.block), copyingUpTo: framing.copied)
        var released: [UInt8] = []
        var added = 0
        for chunk in chunking.chunks(of: Array(input)) {
            let announced = holdback.releasableByteCount(adding: chunk.count)
            let before = released.count
            var calls = 0
            withRawSpan(of: chunk) { chunk in
                holdback.add(chunk) { (span: RawSpan) in
                    calls += 1
                    if span.byteCount == 0 || span.byteCount % framing.block != 0 { calls += 100 }
                    released.append(contentsOf: span)
                }
            }
            added += chunk.count
            if calls > 2 { return "after \(added) bytes: no whole blocks, or more than two spans" }
            let excess = max(0, added - framing.tail)
            let expected = excess - excess % framing.block
            if released.count != expected { return "after \(added) bytes: \(released.count) released, not \(expected)" }
            if announced != expected - before { return "after \(added) bytes: \(announced) announced" }
            if released + holdback.held != Array(input.prefix(added)) { return "after \(added) bytes: other bytes" }
        }
        return nil
    }

    @Test(arguments: framings)
    func holdsBackTheTailAtEveryLengthInEveryStep(framing: (tail: Int, block: Int, copied: Int)) {
        var generator = SeededGenerator()
        for length in 0...200 {
            let input = Self.input.prefix(length)
            let random = Chunking.random(SeededGenerator(seed: generator.next()), maximum: 1 + length / 2)
            for chunking in [.whole, random] + (1...min(70, max(1, length))).map({ Chunking.fixed($0) }) {
                let problem = problem(framing, input, chunking)
                #expect(problem == nil, "\(length) bytes \(chunking), \(framing)")
            }
        }
        for cut in Chunking.everySplit(of: 200) {
            #expect(problem(framing, Self.input[...], cut) == nil, "\(cut), \(framing)")
        }
    }

    /// An error that the receiver throws comes out unchanged.
    @Test func theErrorOfTheReceiverComesThrough() {
        struct Refusal: Error, Equatable { let byteCount: Int }
        var holdback = TailHoldback(FormatVersion.v3.rules.body)
        #expect(throws: Refusal(byteCount: 16)) {
            try withRawSpan(of: [UInt8](repeating: 0, count: 64)) { (chunk) throws(Refusal) in
                try holdback.add(chunk) { (span) throws(Refusal) in throw Refusal(byteCount: span.byteCount) }
            }
        }
    }
}
