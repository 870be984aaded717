import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// `outputTooSmall` is the only error after which a stream goes on: nothing was consumed, and nothing was written.
@Suite struct OutputTooSmallTests {
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

    /// What `call` throws when it has `room` bytes of room. If it throws, it must not write anything.
    private func code(
        room: Int, _ call: (inout OutputRawSpan) throws(CryptorError) -> Void
    ) -> CryptorError.Code? {
        var output: [UInt8] = []
        do throws(CryptorError) {
            try withRoom(for: room, appendingTo: &output, call)
            return nil
        } catch {
            #expect(output.isEmpty, "wrote \(output.shortHex) all the same")
            return error.code
        }
    }

    @Test(arguments: [0, 1, 5, 16, 17, 40, 100, 200])
    func encryptorAsksForExactlyWhatItAppends(chunkSize: Int) throws {
        let chunks = chunkSize == 0 ? [plaintext[...], []] : Chunking.fixed(chunkSize).chunks(of: plaintext)
        var reference = try Encryptor(credential, header: header)
        var encryptor = try Encryptor(credential, header: header)
        var written: [UInt8] = []
        for chunk in chunks {
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

    @Test(arguments: [1, 5, 16, 17, 40, 100, 300])
    func decryptorGoesOnWithMoreRoom(chunkSize: Int) throws {
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
            let room = Decryptor.maximumOutputByteCount(for: chunk.count)
            try withRoom(for: room, appendingTo: &read) { (output) throws(CryptorError) in
                try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                    try decryptor.update(chunk, unverifiedInto: &output)
                }
            }
        }
        try decryptor.finish(into: &read)
        #expect(read == plaintext, "\(SeededGenerator())")
    }

    /// If `finish` fails, it has consumed the stream, and the message stays incomplete: it must not look complete.
    @Test func finishOfAnEncryptor() throws {
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
    }

    @Test(arguments: 0..<16)
    func finishOfADecryptor(lastByteCount: Int) throws {
        let plaintext = Array(plaintext.prefix(32 + lastByteCount))
        let message = try Cryptor.encrypt(plaintext, with: credential)
        for room in 0...lastByteCount {
            var decryptor = Optional(try Decryptor(credential))
            var start: [UInt8] = []
            try decryptor?.update(message, unverifiedInto: &start)
            #expect(start == Array(plaintext.prefix(32)))
            let code = code(room: room) { (output) throws(CryptorError) in
                try decryptor.take()?.finish(into: &output)
            }
            #expect(
                code == (room < lastByteCount ? .outputTooSmall : nil), "room for \(room) of \(lastByteCount) bytes")
        }
    }
}
