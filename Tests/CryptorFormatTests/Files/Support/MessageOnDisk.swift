import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport

/// A key message in a folder of its own, and what is in it.
struct MessageOnDisk {
    static let name = "message"

    let folder: TemporaryFolder
    let plaintext: [UInt8]
    let bytes: [UInt8]
    let credential: Credential

    init(plaintextByteCount: Int) throws {
        folder = try TemporaryFolder()
        plaintext = LongBytes.bytes(plaintextByteCount)
        credential = try FileJob.keys(1)
        bytes = try Cryptor.encrypt(plaintext, with: credential)
        try folder.write(bytes, to: Self.name)
    }

    var path: String { folder.path(Self.name) }

    func open() throws -> VerifiedFile { try VerifiedFile(at: path, with: credential) }

    /// Flips a bit of each byte in `range`.
    func alter(_ range: Range<Int>) throws {
        try folder.write(bytes[range].map { $0 ^ 1 }, to: Self.name, at: range.lowerBound)
    }

    func restore(_ range: Range<Int>) throws {
        try folder.write(Array(bytes[range]), to: Self.name, at: range.lowerBound)
    }
}

/// The ways to read a part of a ``VerifiedFile``.
enum PartInterface: CaseIterable, Sendable {
    case array, span, data

    func read(_ range: Range<Int>, of file: VerifiedFile) throws -> [UInt8] {
        switch self {
        case .array: return try file.read(range)
        case .span:
            var bytes: [UInt8] = []
            try withRoom(for: range.count, appendingTo: &bytes) { (output) throws(CryptorError) in
                try file.read(range, into: &output)
            }
            return bytes
        case .data: return Array(try file.readData(range))
        }
    }
}
