import CryptorTestSupport
import Testing

@testable import CryptorAsync

/// Streams ask for exactly the room that they need, go on when they get it, and hold back the tail
/// and nothing else.
@Suite struct StreamTests {
    private let credential: Credential
    private let header: MessageHeader
    private let plaintext: [UInt8]
    private let message: [UInt8]

    init() throws {
        var generator = SeededGenerator()
        credential = .keys(try generator.messageKeys())
        header = MessageHeader(salts: nil, iv: generator.bytes(16))
        plaintext = generator.bytes(200)
        message = try Cryptor.encrypt(plaintext, with: credential, header: header)
    }

    // MARK: Room

    /// What `call` throws when it has `room` bytes of room. If it throws, it must not write
    /// anything.
    private func code(
        room: Int, into output: inout [UInt8], _ chunk: some Collection<UInt8> = [],
        _ call: ([UInt8], inout OutputRawSpan) throws(CryptorError) -> Void
    ) -> CryptorError.Code? {
        let count = output.count
        do throws(CryptorError) {
            try withRoom(for: room, appendingTo: &output, reading: chunk, call)
        } catch {
            #expect(output.count == count, "wrote \(output.dropFirst(count).shortHex) all the same")
            return error.code
        }
        return nil
    }

    /// `outputTooSmall` is the only error after which a stream goes on: nothing was consumed, and
    /// nothing was written. Chunks of up to 50 bytes of a message need no more room than for what
    /// comes out. Longer ones may hold a header and ciphertext.
    @Test(arguments: [1, 5, 16, 17, 40, 50, 100, 200])
    func goesOnWithMoreRoom(chunkSize: Int) throws {
        var reference = try Encryptor(credential, header: header)
        var encryptor = try Encryptor(credential, header: header)
        var written: [UInt8] = []
        for chunk in [[]] + Chunking.fixed(chunkSize).chunks(of: plaintext) {
            var expected: [UInt8] = []
            try reference.update(chunk, into: &expected)
            for room in 0...expected.count {
                let code = code(room: room, into: &written, chunk) {
                    (chunk, output) throws(CryptorError) in
                    try encryptor.update(chunk.span.bytes, into: &output)
                }
                #expect(
                    code == (room < expected.count ? .outputTooSmall : nil),
                    "\(room) of \(expected.count) bytes")
            }
        }
        try encryptor.finish(into: &written)
        #expect(written == message, "\(SeededGenerator())")

        var other = try Decryptor(credential)
        var decryptor = try Decryptor(credential)
        var read: [UInt8] = []
        for chunk in Chunking.fixed(chunkSize).chunks(of: message) {
            var expected: [UInt8] = []
            try other.update(chunk, unverifiedInto: &expected)
            let enough =
                chunkSize > 50 ? Decryptor.maximumOutputByteCount(for: chunk.count) : expected.count
            for room in Array(0..<expected.count) + [enough] {
                let code = code(room: room, into: &read, chunk) {
                    (chunk, output) throws(CryptorError) in
                    try decryptor.update(chunk.span.bytes, unverifiedInto: &output)
                }
                #expect(
                    code == (room < expected.count ? .outputTooSmall : nil),
                    "\(room) of \(expected.count) bytes")
            }
        }
        try decryptor.finish(into: &read)
        #expect(read == plaintext, "\(SeededGenerator())")
    }

    /// If `finish` has no room, it has consumed the stream, and the message stays incomplete: it
    /// must not look complete.
    @Test func finishAsksForWhatItAppends() throws {
        for (hasStarted, needed) in [(true, 48), (false, 18 + 48)] {
            for room in 0...needed {
                var encryptor = Optional(try Encryptor(credential, header: header))
                var (start, end): ([UInt8], [UInt8]) = ([], [])
                if hasStarted { try encryptor?.update(plaintext, into: &start) }
                let code = code(room: room, into: &end) { (_, output) throws(CryptorError) in
                    try encryptor.take()?.finish(into: &output)
                }
                #expect(
                    code == (room < needed ? .outputTooSmall : nil),
                    "room for \(room) of \(needed) bytes")
            }
        }
        for count in 0..<16 {
            let message = try Cryptor.encrypt(plaintext.prefix(32 + count), with: credential)
            for room in 0...16 {
                var decryptor = Optional(try Decryptor(credential))
                var (start, end): ([UInt8], [UInt8]) = ([], [])
                try decryptor?.update(message, unverifiedInto: &start)
                let code = code(room: room, into: &end) { (_, output) throws(CryptorError) in
                    try decryptor.take()?.finish(into: &output)
                }
                #expect(
                    code == (room < count ? .outputTooSmall : nil),
                    "\(count) bytes, room for \(room)")
            }
        }
    }

    /// Plaintext that is held back needs room only at the end, and then for all of it. So does a
    /// `KeyedCryptor`, whether or not the message is authentic.
    @Test func whatComesOutAtOnceNeedsRoomForAll() throws {
        let password = try Credential.password("p\u{e4}ssword")
        let salts = MessageHeader.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let header = MessageHeader(version: .v2, salts: salts, iv: Array(16..<32))
        let message = try Cryptor.encrypt(plaintext, with: password, header: header)
        for room in [0, 16, 199, 200, message.count - 1, message.count] {
            var decryptor = Optional(try Decryptor(try password.withShortenedReadings()))
            var output: [UInt8] = []
            try decryptor?.update(message.prefix(100), unverifiedInto: &output)
            for chunk in Chunking.fixed(30).chunks(of: Array(message.dropFirst(100))) {
                let code = code(room: 0, into: &output, chunk) {
                    (chunk, output) throws(CryptorError) in
                    try decryptor?.update(chunk.span.bytes, unverifiedInto: &output)
                }
                #expect(code == nil && output.isEmpty)
            }
            let code = code(room: room, into: &output) { (_, output) throws(CryptorError) in
                try decryptor.take()?.finish(into: &output)
            }
            #expect(
                code == (room < message.count ? .outputTooSmall : nil), "room for \(room) bytes")
        }
        let keys = try MessageKeys.random()
        let cryptor = try KeyedCryptor(keys)
        for (count, version) in [(0, FormatVersion.v3), (16, .v2), (64, .v3), (300_000, .v3)] {
            let needed = cryptor.messageByteCount(for: count)
            for room in [needed - 1, needed] {
                var output: [UInt8] = []
                let code = code(room: room, into: &output, LongBytes.bytes(count)) {
                    (chunk, output) throws(CryptorError) in
                    try cryptor.encrypt(chunk.span.bytes, into: &output)
                }
                #expect(code == (room < needed ? .outputTooSmall : nil), "\(count) bytes")
            }
            let header = MessageHeader(version: version, salts: nil, iv: header.iv)
            var message = try Cryptor.encrypt(
                LongBytes.bytes(count), with: .keys(keys), header: header)
            for last: CryptorError.Code? in [nil, .authenticationFailed] {
                for (room, expected) in [
                    (message.count - 51, .outputTooSmall), (message.count - 50, last),
                ] {
                    var output: [UInt8] = []
                    let code = code(room: room, into: &output, message) {
                        (message, output) throws(CryptorError) in
                        try cryptor.decrypt(message.span.bytes, into: &output)
                    }
                    #expect(code == expected, "\(count) bytes, room for \(room)")
                }
                message[message.count - 1] ^= 1
            }
        }
    }

    // MARK: The tail

    /// After every chunk, all blocks are released but the tail: the last block and the tag.
    @Test func holdsBackTheTailAndNothingElse() throws {
        for length in 0...100 {
            let message = try Cryptor.encrypt(
                plaintext.prefix(length), with: credential, header: header)
            for chunking in Chunking.everySize {
                var decryptor = try Decryptor(credential)
                var (released, added): ([UInt8], Int) = ([], 0)
                for chunk in chunking.chunks(of: message) {
                    try decryptor.update(chunk, unverifiedInto: &released)
                    added += chunk.count
                    let expected = max(0, added - 18 - 48) / 16 * 16
                    #expect(
                        released == Array(plaintext.prefix(expected)),
                        "\(added) of \(length) bytes \(chunking)")
                }
            }
        }
    }
}
