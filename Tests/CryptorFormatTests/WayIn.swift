import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Every way in which the library reads a message. All of them must give the same plaintext.
enum WayIn: CaseIterable, Sendable {
    case whole, data, batch
    case stream, streamOfBytes, streamIntoSpans
    case file, fileIntoStream, fileInBase64, verifiedFile, rekeyedFile, randomAccess
    case pool, poolOfData, poolFile, poolVerifiedFile, poolRekeyedFile
    case sequence, collectedSequence

    /// The plaintext; for a file that is only verified, as many zeros.
    func plaintext(
        of message: [UInt8], with credential: Credential, accepting: Acceptance = .everything
    ) async throws -> [UInt8] {
        let pool = CryptorPool.shared
        switch self {
        case .whole: return try Cryptor.decrypt(message, with: credential, accepting: accepting)
        case .data:
            return Array(try Cryptor.decrypt(Data(message), with: credential, accepting: accepting) as Data)
        case .batch:
            let results = Cryptor.decryptAll([message, message], with: credential, accepting: accepting)
            return try results[1].get()
        case .stream: return try streamed(message, credential, accepting, .whole, .arrays)
        case .streamOfBytes: return try streamed(message, credential, accepting, .fixed(1), .arrays)
        case .streamIntoSpans: return try streamed(message, credential, accepting, .fixed(49), .spans)
        case .pool: return try await pool.decrypt(message, with: credential, accepting: accepting)
        case .poolOfData:
            return Array(try await pool.decrypt(Data(message), with: credential, accepting: accepting) as Data)
        case .sequence:
            let source = ChunkSource(Chunking.fixed(33).chunks(of: message))
            let reading = await Reading(source.decryptedUnverified(with: credential, accepting: accepting))
            if let error = reading.error { throw error }
            return reading.bytes
        case .collectedSequence:
            let source = ChunkSource(Chunking.fixed(33).chunks(of: message))
            return try await Cryptor.decrypt(
                collecting: source, upTo: 1 << 20, with: credential, accepting: accepting)
        default: return try await plaintext(ofFile: message, with: credential, accepting)
        }
    }

    private func plaintext(ofFile message: [UInt8], with credential: Credential, _ accepting: Acceptance) async throws
        -> [UInt8]
    {
        let folder = try TemporaryFolder()
        let (source, destination) = (folder.path("message"), folder.path("plaintext"))
        try folder.write(self == .fileInBase64 ? Cryptor.base64Text(of: message) : message, to: "message")
        defer { #expect((try? folder.read("plaintext")) == nil, "\(self)") }
        func output() throws -> [UInt8] {
            let bytes = try folder.read("plaintext")
            try FileManager.default.removeItem(atPath: destination)
            return bytes
        }
        let keys = Credential.keys(try .random())
        switch self {
        case .poolFile:
            try await CryptorPool.shared.decryptFile(
                at: source, to: destination, with: credential, accepting: accepting)
        case .poolVerifiedFile:
            let count = try await CryptorPool.shared.verifyFile(at: source, with: credential, accepting: accepting)
            return [UInt8](repeating: 0, count: count)
        case .poolRekeyedFile:
            try await CryptorPool.shared.rekeyFile(
                at: source, to: destination, from: credential, into: keys, accepting: accepting)
            return try Cryptor.decrypt(output(), with: keys, accepting: [.v3])
        default:
            return try plaintext(
                here: source, to: destination, with: credential, accepting, into: keys, output: output)
        }
        return try output()
    }

    /// Reads a file on this thread.
    private func plaintext(
        here source: String, to destination: String, with credential: Credential, _ accepting: Acceptance,
        into keys: Credential, output: () throws -> [UInt8]
    ) throws -> [UInt8] {
        switch self {
        case .file:
            try Cryptor.decryptFile(at: source, to: destination, with: credential, accepting: accepting)
        case .fileInBase64:
            try Cryptor.decryptFile(
                at: FileEndpoint.path(source), to: .path(destination), with: credential, accepting: accepting,
                options: FileOptions(base64: true))
        case .fileIntoStream:
            let reader = try PipeReader()
            let stream = FileEndpoint.descriptor(try #require(reader.writeEnd))
            let error = try caughtError {
                try Cryptor.decryptFile(at: .path(source), to: stream, with: credential, accepting: accepting)
            }
            let released = try reader.finish()
            if let error {
                #expect(released.isEmpty)
                throw error
            }
            return released
        case .verifiedFile:
            let count = try Cryptor.verifyFile(at: source, with: credential, accepting: accepting)
            return [UInt8](repeating: 0, count: count)
        case .rekeyedFile:
            try Cryptor.rekeyFile(
                at: source, to: destination, from: credential, into: keys, accepting: accepting)
            return try Cryptor.decrypt(output(), with: keys, accepting: [.v3])
        case .randomAccess:
            let file = try VerifiedFile(at: source, with: credential, accepting: accepting)
            return try file.read(0..<file.plaintextByteCount)
        default: Issue.record("\(self) is no way in through a file")
        }
        return try output()
    }

    private func streamed(
        _ message: [UInt8], _ credential: Credential, _ accepting: Acceptance, _ chunking: Chunking,
        _ interface: StreamInterface
    ) throws -> [UInt8] {
        let reading = try ChunkedDecryption(
            message, with: credential, accepting: accepting, chunking, through: interface)
        if let error = reading.error {
            #expect(reading.last.isEmpty && reading.isSticky, "\(self)")
            throw error
        }
        return reading.plaintext
    }
}
