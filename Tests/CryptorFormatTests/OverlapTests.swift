import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The bytes are the same on one thread and on two. These tests get a second thread even if others use all cores.
@Suite struct OverlapTests {
    init() { Cores.pretendToHaveMore() }

    /// Sizes around the one from which a second thread is used, and sizes that are not whole blocks or pieces.
    private static let lengths = [262_143, 262_144, 262_145, 524_289, 1_500_001, 4_194_304, 5_145_745]

    @Test(arguments: lengths)
    func wholeMessages(count: Int) throws {
        var generator = SeededGenerator()
        let keys = try generator.keyPair()
        let header = Header(salts: nil, iv: generator.bytes(16))
        let plaintext = generator.bytes(count)
        let message = try Cryptor.encrypt(plaintext, with: .keys(keys), header: header)
        #expect(sameBytes(message, try plainMessage(plaintext, header, keys)), "\(generator)")
        let read = try Cryptor.decrypt(message, with: .keys(keys))
        #expect(sameBytes(read, plaintext), "\(generator)")
    }

    @Test(arguments: [65_536, 600_000, 1_048_576, 1_048_577])
    func streams(chunk: Int) throws {
        var generator = SeededGenerator()
        let keys = try generator.keyPair()
        let credential = Credential.keys(keys)
        let header = Header(salts: nil, iv: generator.bytes(16))
        let plaintext = generator.bytes(5_000_011)
        let expected = try plainMessage(plaintext, header, keys)
        let writing = try ChunkedEncryption(plaintext, with: credential, header: header, .fixed(chunk))
        #expect(sameBytes(writing.message, expected), "\(generator)")
        let reading = try ChunkedDecryption(expected, with: credential, .fixed(chunk))
        #expect(reading.verifiedPlaintext.map { sameBytes($0, plaintext) } == true, "\(generator)")
    }

    @Test func alteredMessagesAreRefused() throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        let message = try Cryptor.encrypt(generator.bytes(2_000_000), with: credential)
        for _ in 0..<50 {
            var altered = message
            altered[Int.random(in: 2..<message.count, using: &generator)] ^= 1
            let error = #expect(throws: CryptorError.self, "\(generator)") {
                try Cryptor.decrypt(altered, with: credential)
            }
            #expect(error?.code == .authenticationFailed, "\(generator)")
        }
    }

    /// There may be more streams than workers, and all of them end.
    @Test func manyAtOnce() async throws {
        let credential = Credential.keys(try .random())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let plaintext = [UInt8](repeating: UInt8(index), count: 700_000 + index)
                    let message = try Cryptor.encrypt(plaintext, with: credential)
                    return try Cryptor.decrypt(message, with: credential) == plaintext
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    /// Lengths around the chunk with which the second thread starts, and of more chunks than are under way at once.
    private static let fileLengths =
        [0, 1, 2, 3, 5, 16].flatMap { chunks in
            [-1, 0, 1].map { max(0, chunks * MessageChunk.byteCount + $0) }
        } + [5 * SegmentByteCount.forSecondPass + 5]

    @Test(arguments: FileTask.allCases, fileLengths)
    func files(task: FileTask, length: Int) throws {
        let job = try FileJob(task, byteCount: length)
        try job.run(overwriting: true)
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        let reader = try PipeReader()
        let stream = FileEndpoint.descriptor(try #require(reader.writeEnd))
        try job.run(to: stream)
        let flaw = try job.flaw(in: reader.finish())
        #expect(flaw == nil, "to a pipe, \(SeededGenerator())")
    }

    /// An altered bit of a large message file is noticed, whichever thread reads it.
    @Test func alteredFilesAreRefused() throws {
        var generator = SeededGenerator()
        let job = try FileJob(.decrypt, byteCount: 2_000_000)
        for _ in 0..<50 {
            let offset = Int.random(in: 2..<job.sourceBytes.count, using: &generator)
            try job.folder.alter("source", offset..<offset + 1)
            for destination in [job.destination, .path("/dev/null")] {
                let error = #expect(throws: CryptorError.self, "\(generator)") { try job.run(to: destination) }
                #expect(error?.code == .authenticationFailed, "\(generator)")
            }
            #expect(try job.folder.names() == ["source"], "\(generator)")
            try job.folder.write(job.sourceBytes, to: "source")
        }
    }
}

/// The message as OpenSSL's functions make it, one after the other.
private func plainMessage(_ plaintext: [UInt8], _ header: Header, _ keys: KeyPair) throws -> [UInt8] {
    try Array(byteCapacity: plaintext.count + 100) { (output) throws(OpenSSLError) in
        withRawSpan(of: header.bytes) { header in header.append(to: &output) }
        var cipher = try AESCipher(.encrypt, key: keys.encryptionKey, iv: header.iv)
        try withRawSpan(of: plaintext) { (plaintext) throws(OpenSSLError) in try cipher.update(plaintext, into: &output)
        }
        try cipher.finishEncryption(into: &output)
        var authenticator = try HMACAuthenticator(key: keys.hmacKey)
        try authenticator.update(output.bytes)
        try authenticator.finish(into: &output)
    }
}
