import CryptorFormat
import Foundation
import TestSupport
import Testing

/// Every message that is to be read, through every way in.
@Suite struct ReadableVectorTests {
    private static let vectors = Result { try VectorFolder.readable() }

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
        let credential = try vector.secret.credential
        let written = try Cryptor.encrypt(vector.plaintext, with: credential, header: vector.header)
        check(written, is: vector.message, "\(vector), written")
        check(try Cryptor.decrypt(vector.message, with: credential), is: vector.plaintext, "\(vector), read")
        let data: Data = try Cryptor.decrypt(Data(vector.message), with: credential)
        check(Array(data), is: vector.plaintext, "\(vector), read as Data")
    }

    @Test(arguments: try vectors.get(), StreamInterface.allCases)
    func inChunks(_ vector: ReadableVector, through interface: StreamInterface) throws {
        let credential = try vector.secret.credential
        let random = Chunking.random(SeededGenerator(), maximum: 70)
        let sizes = vector.secret.isPassword && interface == .spans ? Chunking.someSizes : Chunking.everySize
        for chunking in sizes + [random] {
            let writing = try ChunkedEncryption(
                vector.plaintext, with: credential, header: vector.header, chunking, through: interface)
            check(writing.message, is: vector.message, "\(vector), written \(chunking)")
            let reading = try ChunkedDecryption(vector.message, with: credential, chunking, through: interface)
            check(reading.verifiedPlaintext, is: vector.plaintext, "\(vector), read \(chunking)")
        }
    }

    @Test(arguments: try vectors.get())
    func inTwoChunks(_ vector: ReadableVector) throws {
        let credential = try vector.secret.credential
        for chunking in splits(of: vector.message, in: vector) {
            let reading = try ChunkedDecryption(vector.message, with: credential, chunking)
            check(reading.verifiedPlaintext, is: vector.plaintext, "\(vector), read \(chunking)")
        }
        guard !vector.secret.isPassword else { return }
        for chunking in Chunking.everySplit(of: vector.plaintext.count) {
            let writing = try ChunkedEncryption(
                vector.plaintext, with: credential, header: vector.header, chunking)
            check(writing.message, is: vector.message, "\(vector), written \(chunking)")
        }
    }

    /// Every split, unless that takes a thousand key derivations.
    private func splits(of bytes: [UInt8], in vector: ReadableVector) -> [Chunking] {
        if !vector.secret.isPassword || bytes.count <= 200 { return Chunking.everySplit(of: bytes.count) }
        var generator = SeededGenerator()
        return Chunking.someSplits(of: bytes.count, using: &generator)
    }

    @Test(arguments: try vectors.get())
    func header(of vector: ReadableVector) throws {
        let header = try Header(parsing: vector.message)
        #expect(header == vector.header)
        #expect(header.usesPassword == vector.secret.isPassword)
        #expect(header.byteCount == (vector.secret.isPassword ? 34 : 18))
        #expect(try Header(parsing: vector.message.prefix(header.byteCount)) == vector.header)
    }
}
