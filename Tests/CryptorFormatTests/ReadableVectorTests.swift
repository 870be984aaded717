import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// Every readable vector can be read in every way.
@Suite struct ReadableVectorTests {
    private static let vectors = Result { try VectorFolder.readable() }
    private static let everything = Acceptance.everything

    private func check(
        _ actual: [UInt8]?, is expected: [UInt8], _ comment: @autoclosure () -> String,
        at location: SourceLocation = #_sourceLocation
    ) {
        guard let actual, sameBytes(actual, expected) else {
            Issue.record(
                "\(comment()): expected \(expected.shortHex), actual \(actual?.shortHex ?? "an error")",
                sourceLocation: location)
            return
        }
    }

    @Test(arguments: try vectors.get())
    func whole(_ vector: ReadableVector) throws {
        let credential = try vector.credential
        if let header = vector.header {
            let written = try Cryptor.encrypt(vector.plaintext, with: vector.writtenWith, header: header)
            check(written, is: vector.message, "\(vector), written")
        }
        let read = try Cryptor.decrypt(vector.message, with: credential, accepting: vector.acceptance)
        check(read, is: vector.plaintext, "\(vector), read")
        let data: Data = try Cryptor.decrypt(
            Data(vector.message), with: credential,
            accepting: Acceptance([vector.version], shortenedPasswords: vector.needsShortenedPassword))
        check(Array(data), is: vector.plaintext, "\(vector), read as Data")
    }

    @Test(arguments: try vectors.get(), StreamInterface.allCases)
    func inChunks(_ vector: ReadableVector, through interface: StreamInterface) throws {
        let credential = try vector.credential
        let random = Chunking.random(SeededGenerator(), maximum: 70)
        let isSlow = vector.secret.isPassword && (interface == .spans || vector.version != .v3)
        for chunking in (isSlow ? Chunking.someSizes : Chunking.everySize) + [random] {
            if let header = vector.header {
                let writing = try ChunkedEncryption(
                    vector.plaintext, with: vector.writtenWith, header: header, chunking, through: interface)
                check(writing.message, is: vector.message, "\(vector), written \(chunking)")
            }
            let reading = try ChunkedDecryption(
                vector.message, with: credential, accepting: vector.acceptance, chunking, through: interface)
            check(reading.verifiedPlaintext, is: vector.plaintext, "\(vector), read \(chunking)")
        }
    }

    @Test(arguments: try vectors.get())
    func inTwoChunks(_ vector: ReadableVector) throws {
        let credential = try vector.credential
        for chunking in splits(of: vector.message, in: vector) {
            let reading = try ChunkedDecryption(
                vector.message, with: credential, accepting: vector.acceptance, chunking)
            check(reading.verifiedPlaintext, is: vector.plaintext, "\(vector), read \(chunking)")
        }
        guard !vector.secret.isPassword, let header = vector.header else { return }
        for chunking in Chunking.everySplit(of: vector.plaintext.count) {
            let writing = try ChunkedEncryption(vector.plaintext, with: credential, header: header, chunking)
            check(writing.message, is: vector.message, "\(vector), written \(chunking)")
        }
    }

    /// Every split, unless that takes a thousand key derivations.
    private func splits(of bytes: [UInt8], in vector: ReadableVector) -> [Chunking] {
        let isQuick = !vector.secret.isPassword || bytes.count <= 200 && vector.version == .v3
        if isQuick { return Chunking.everySplit(of: bytes.count) }
        var generator = SeededGenerator()
        return Chunking.someSplits(of: bytes.count, using: &generator)
    }

    @Test(arguments: try vectors.get())
    func header(of vector: ReadableVector) throws {
        let isPassword = vector.secret.isPassword
        let header = try Header(parsing: vector.message, version0UsesPassword: isPassword)
        #expect(header == vector.header || vector.header == nil)
        #expect(header.version == vector.version)
        #expect(header.usesPassword == isPassword)
        #expect(header.byteCount == (isPassword ? 34 : 18))
        let start = vector.message.prefix(header.byteCount)
        #expect(try Header(parsing: start, version0UsesPassword: isPassword) == header)
    }
}
