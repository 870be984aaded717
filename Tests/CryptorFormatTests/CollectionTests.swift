import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// Any collection of bytes will do: slices that start anywhere, `Data`, and those without contiguous storage.
@Suite struct CollectionTests {
    private let credential: Credential
    private let plaintext: [UInt8]
    private let message: [UInt8]

    init() throws {
        var generator = SeededGenerator()
        credential = .keys(try generator.keyPair())
        plaintext = generator.bytes(333)
        message = try Cryptor.encrypt(plaintext, with: credential)
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

    @Test func wholeMessages() throws {
        for (name, bytes) in wrapped(plaintext) {
            let message = try Cryptor.encrypt(bytes, with: credential) as [UInt8]
            #expect(try Cryptor.decrypt(message, with: credential) == plaintext, "\(name), \(SeededGenerator())")
        }
        for (name, bytes) in wrapped(message) {
            let actual = try Cryptor.decrypt(bytes, with: credential) as [UInt8]
            #expect(actual == plaintext, "\(name), \(SeededGenerator())")
        }
    }

    @Test func streams() throws {
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

    @Test func data() throws {
        let message: Data = try Cryptor.encrypt(Data(plaintext), with: credential)
        let actual: Data = try Cryptor.decrypt(message, with: credential)
        #expect(actual == Data(plaintext))
        #expect(try Cryptor.decrypt((Data([1, 2]) + message).dropFirst(2), with: credential) == Data(plaintext))
        let empty: Data = try Cryptor.decrypt(try Cryptor.encrypt(Data(), with: credential) as Data, with: credential)
        #expect(empty == Data())
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
