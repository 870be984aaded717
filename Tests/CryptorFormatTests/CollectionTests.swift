import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// Any collection of bytes will do: slices that start anywhere, `Data`, and those without contiguous storage.
@Suite struct CollectionTests {
    private let credential: Credential
    private let keyed: KeyedCryptor
    private let longest: [UInt8]
    /// Collections of up to 4,096 bytes are copied, longer ones only if their storage is not contiguous.
    static let byteCounts = [0, 1, 333, 4030, 4031, 4096, 4097, 70_000]

    init() throws {
        var generator = SeededGenerator()
        let keys = try generator.keyPair()
        credential = .keys(keys)
        keyed = try KeyedCryptor(keys)
        longest = generator.bytes(Self.byteCounts.max() ?? 0)
    }

    /// The same bytes in other collections.
    private func wrapped(_ bytes: [UInt8]) -> [(name: String, bytes: any Collection<UInt8>)] {
        let surrounded = [0xAA, 0xBB, 0xCC] + bytes + [0xDD]
        return [
            ("array", bytes),
            ("slice", surrounded[3..<surrounded.count - 1]),
            ("contiguous array", ContiguousArray(bytes)),
            ("Data", Data(bytes)),
            ("slice of Data", Data(surrounded).dropFirst(3).dropLast()),
            ("lazy", bytes.lazy.map { $0 }),
            ("lazily filtered", surrounded.dropFirst(3).dropLast().lazy.filter { _ in true }),
            ("reversed", Array(bytes.reversed()).reversed() as ReversedCollection),
            ("type-erased", AnyCollection(bytes)),
            ("characters", bytes.hex.hexDecodedLazily),
        ]
    }

    @Test(arguments: byteCounts)
    func wholeMessages(byteCount: Int) throws {
        let plaintext = Array(longest.prefix(byteCount))
        for (name, bytes) in wrapped(plaintext) {
            let message = try Cryptor.encrypt(bytes, with: credential) as [UInt8]
            #expect(try Cryptor.decrypt(message, with: credential) == plaintext, "\(name), \(SeededGenerator())")
            #expect(try keyed.decrypt(keyed.encrypt(bytes)) == plaintext, "\(name), keyed, \(SeededGenerator())")
        }
        for (name, bytes) in wrapped(try Cryptor.encrypt(plaintext, with: credential)) {
            let actual = try Cryptor.decrypt(bytes, with: credential) as [UInt8]
            #expect(actual == plaintext, "\(name), \(SeededGenerator())")
            #expect(try keyed.decrypt(bytes) == plaintext, "\(name), keyed, \(SeededGenerator())")
            #expect(sameBytes(Cryptor.base64Text(of: bytes), Cryptor.base64Text(of: Array(bytes))), "\(name)")
        }
    }

    /// An error comes out of each of them as well.
    @Test(arguments: byteCounts)
    func refused(byteCount: Int) throws {
        var message: [UInt8] = try Cryptor.encrypt(longest.prefix(byteCount), with: credential)
        message[message.count - 1] ^= 1
        for (name, bytes) in wrapped(message) {
            let errors = [
                try caughtError { _ = try Cryptor.decrypt(bytes, with: credential) as [UInt8] },
                try caughtError { _ = try keyed.decrypt(bytes) },
            ]
            for error in errors { #expect(error?.code == .authenticationFailed, "\(name)") }
        }
    }

    @Test(arguments: byteCounts)
    func streams(byteCount: Int) throws {
        let plaintext = Array(longest.prefix(byteCount))
        let message: [UInt8] = try Cryptor.encrypt(plaintext, with: credential)
        let header = try Header(parsing: message)
        for (name, bytes) in wrapped(plaintext) {
            var encryptor = try Encryptor(credential, header: header)
            var output: [UInt8] = [1, 2, 3]
            try encryptor.update(bytes, into: &output)
            try encryptor.finish(into: &output)
            #expect(output == [1, 2, 3] + message, "\(name): appended to what was there, \(SeededGenerator())")
        }
        for (name, bytes) in wrapped(message) {
            var decryptor = try Decryptor(credential)
            var output: [UInt8] = [1, 2, 3]
            try decryptor.update(bytes, unverifiedInto: &output)
            try decryptor.finish(into: &output)
            #expect(output == [1, 2, 3] + plaintext, "\(name): appended to what was there, \(SeededGenerator())")
        }
    }

    @Test(arguments: byteCounts)
    func data(byteCount: Int) throws {
        let plaintext = Data(longest.prefix(byteCount))
        let message: Data = try Cryptor.encrypt(plaintext, with: credential)
        for message in [message, try keyed.encrypt(plaintext)] {
            let slice = (Data([1, 2]) + message + Data([3])).dropFirst(2).dropLast()
            for bytes in [message, slice] {
                #expect(try Cryptor.decrypt(bytes, with: credential) as Data == plaintext)
                #expect(try keyed.decrypt(bytes) as Data == plaintext)
                #expect(Cryptor.base64Text(of: bytes) == Cryptor.base64Text(of: Array(message)))
            }
        }
    }
}

extension String {
    /// Bytes that are made one by one when they are read.
    fileprivate var hexDecodedLazily: some Collection<UInt8> {
        let digits = Array(utf8)
        return (0..<digits.count / 2).lazy.map { index in
            let pair = String(decoding: digits[2 * index..<2 * index + 2], as: UTF8.self)
            return UInt8(pair, radix: 16) ?? 0
        }
    }
}
