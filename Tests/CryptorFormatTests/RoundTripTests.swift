import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync

/// A way in which the library writes a message.
struct WayOut: Sendable, CustomStringConvertible {
    let description: String
    let write: @Sendable ([UInt8], MessageKeys) async throws -> [UInt8]

    private init(
        _ description: String,
        _ write: @escaping @Sendable ([UInt8], MessageKeys) async throws -> [UInt8]
    ) {
        (self.description, self.write) = (description, write)
    }

    static let inMemory = [
        WayOut("array") { try Cryptor.encrypt($0, with: .keys($1)) },
        WayOut("Data") { Array(try Cryptor.encrypt(Data($0), with: .keys($1)) as Data) },
        WayOut("KeyedCryptor") { try KeyedCryptor($1).encrypt($0) },
        WayOut("KeyedCryptor, of Data") { try KeyedCryptor($1).encrypt(Data($0)) },
        WayOut("KeyedCryptor, of Data into Data") {
            Array(try KeyedCryptor($1).encrypt(Data($0)) as Data)
        },
        WayOut("KeyedCryptor.encryptAll, of Data into Data") {
            let results: [Result<Data, CryptorError>] = try KeyedCryptor($1).encryptAll(
                [Data([1]), Data($0)])
            return Array(try results[1].get())
        },
        WayOut("KeyedCryptor.encryptAll") { try KeyedCryptor($1).encryptAll([[1], $0])[1].get() },
        WayOut("KeyedCryptor, span") { plaintext, keys in
            let cryptor = try KeyedCryptor(keys)
            var message: [UInt8] = []
            try withRoom(
                for: cryptor.messageByteCount(for: plaintext.count), appendingTo: &message,
                reading: plaintext
            ) { (plaintext, output) throws(CryptorError) in
                try cryptor.encrypt(plaintext.span.bytes, into: &output)
            }
            return message
        },
        WayOut("pool") { try await CryptorPool.shared.encrypt($0, with: .keys($1)) },
        WayOut("pool, of Data") { try await CryptorPool.shared.encrypt(Data($0), with: .keys($1)) },
        WayOut("pool, of Data into Data") {
            let message: Data = try await CryptorPool.shared.encrypt(Data($0), with: .keys($1))
            return Array(message)
        },
    ]

    static let streams =
        [
            Chunking.whole, .fixed(61), .fixed(997), .fixed(16_385),
            .random(SeededGenerator(), maximum: 5000),
        ]
        .flatMap { chunking in
            StreamInterface.allCases.map { interface in
                WayOut("stream \(chunking), \(interface)") {
                    try ChunkedEncryption($0, with: .keys($1), chunking, through: interface).message
                }
            } + [
                WayOut("sequence \(chunking)") { plaintext, keys in
                    let source = ChunkSource(
                        chunking.chunks(of: plaintext).map { ScatteredView($0) })
                    let reading = await ReadSequence(source.encrypted(with: .keys(keys)))
                    #expect(
                        reading.error == nil && reading.isSticky
                            && reading.chunks.allSatisfy { !$0.isEmpty })
                    return reading.bytes
                }
            ]
        }

    static let files = [false, true].flatMap { base64 in
        [
            WayOut(base64 ? "file of base64" : "file") { plaintext, keys in
                let directory = try TemporaryDirectory(in: FileSystems.all.last)
                try directory.write(plaintext, to: "plaintext")
                try await CryptorPool.shared.encryptFile(
                    at: directory.path("plaintext"), to: directory.path("message"),
                    with: .keys(keys),
                    options: FileOptions(base64: base64))
                return try base64
                    ? Cryptor.message(fromBase64: directory.read("message"))
                    : directory.read("message")
            },
            WayOut(base64 ? "sequence into a file of base64" : "sequence into a file") {
                plaintext, keys in
                let directory = try TemporaryDirectory(in: FileSystems.all.last)
                let source = ChunkSource(Chunking.fixed(5000).chunks(of: plaintext))
                try await CryptorPool.shared.encryptFile(
                    from: source, to: directory.path("message"), with: .keys(keys),
                    options: FileOptions(base64: base64))
                return try base64
                    ? Cryptor.message(fromBase64: directory.read("message"))
                    : directory.read("message")
            },
        ]
    }
}

/// What is written on any way is read on every way, at every length around the boundaries of the
/// block, the tag, and the pieces in which the library works.
@Suite(.unlessItHangs) struct RoundTripTests {
    private static let piece = 16 * 1024
    private static let lengths: [Int] = {
        let boundaries =
            [8, 62, 63, 64, 256].map { $0 * 16 } + [
                1000, piece - 48, piece, 2 * piece, 3 * piece + 18,
            ]
        return Array(0...100) + boundaries.flatMap { [$0 - 1, $0, $0 + 1] }
    }()

    private let keys = Result {
        var generator = SeededGenerator()
        return try generator.messageKeys()
    }

    private func check(_ ways: [WayOut], _ lengths: [Int]) async throws {
        let keys = try keys.get()
        let (credential, cryptor) = (Credential.keys(keys), try KeyedCryptor(keys))
        for length in lengths {
            let plaintext = LongBytes.bytes(length)
            for way in ways {
                let message = try await way.write(plaintext, keys)
                let name = "\(way), \(length) bytes, \(SeededGenerator())"
                #expect(message.count == 18 + 16 * (length / 16 + 1) + 32, "\(name)")
                #expect(message.first == 3, "\(name)")
                let opened = try Cryptor.decrypt(message, with: credential, accepting: [.v3])
                #expect(sameBytes(opened, plaintext), "\(name)")
                #expect(sameBytes(try cryptor.decrypt(message), plaintext), "\(name)")
            }
        }
    }

    @Test(arguments: WayOut.inMemory) func inMemory(_ way: WayOut) async throws {
        try await check([way], Self.lengths + [262_143, 262_144, 262_145, 1_000_000])
    }

    @Test(arguments: WayOut.streams) func streams(_ way: WayOut) async throws {
        try await check([way], Self.lengths)
    }

    @Test(arguments: WayOut.files) func files(_ way: WayOut) async throws {
        try await check([way], [0, 1, 15, 16, 57, 1000, 65_535, 65_536, 262_144, 1_000_003])
    }

    /// Salts and IVs never repeat, neither one another nor each other, in one call or in several,
    /// and all of their bytes are drawn.
    @Test func saltsAndIVsAreFresh() throws {
        let password = try Credential.password("correct horse battery staple")
        let keys = Credential.keys(try keys.get())
        let cryptor = try KeyedCryptor(self.keys.get())
        let none = [[UInt8]](repeating: [], count: 100)
        let groups = [
            try none.prefix(30).map { try Cryptor.encrypt($0, with: password) },
            try none.map { try Cryptor.encrypt($0, with: keys) },
            try none.map { try cryptor.encrypt($0) },
            try cryptor.encryptAll(none).map { try $0.get() },
        ]
        for messages in groups {
            // Chance makes all of 30 bytes the same less than once in 10^69.
            for index in 2..<(try MessageHeader(parsing: messages[0]).byteCount) {
                #expect(Set(messages.map { $0[index] }).count > 1, "byte \(index) of a header")
            }
        }
        let fields = try groups.joined().flatMap { message in
            let header = try MessageHeader(parsing: message)
            let salts = header.salts.map { [$0.encryption, $0.hmac] } ?? []
            return salts + [Array(header.iv.prefix(8)), Array(header.iv.suffix(8))]
        }
        #expect(fields.count == 30 * 4 + 300 * 2 && Set(fields).count == fields.count)
    }
}
