import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFormat

/// Any collection of bytes will do at every entry: slices that start anywhere, `Data`, and those
/// without contiguous storage. What is there is appended to.
@Suite(.unlessItHangs) struct CollectionTests {
    private let keys: MessageKeys
    private var credential: Credential { .keys(keys) }

    init() throws { keys = try MessageKeys.random() }

    /// The same bytes in other collections.
    private func wrapped(_ bytes: [UInt8]) -> [any Collection<UInt8>] {
        let surrounded = [0xAA, 0xBB, 0xCC] + bytes + [0xDD]
        return [
            surrounded[3..<surrounded.count - 1], ContiguousArray(bytes), Data(bytes),
            Data(surrounded).dropFirst(3).dropLast(), bytes.lazy.map { $0 },
            surrounded.dropFirst(3).dropLast().lazy.filter { _ in true },
            Array(bytes.reversed()).reversed() as ReversedCollection, AnyCollection(bytes),
            ScatteredView(bytes),
        ]
    }

    /// A message from each entry that takes a plaintext.
    private func messages(of plaintext: some Collection<UInt8>) throws -> [(
        name: String, message: [UInt8]
    )] {
        let cryptor = try KeyedCryptor(keys)
        var streamed: [UInt8] = [1, 2]
        var encryptor = try Encryptor(credential)
        try encryptor.update(plaintext, into: &streamed)
        try encryptor.finish(into: &streamed)
        var data = Data([1, 2])
        encryptor = try Encryptor(credential)
        try encryptor.update(Data(plaintext), into: &data)
        try encryptor.finish(into: &data)
        #expect(
            streamed.starts(with: [1, 2]) && data.starts(with: [1, 2]), "appended to what was there"
        )
        return [
            ("encrypt", try Cryptor.encrypt(plaintext, with: credential)),
            ("keyed", try cryptor.encrypt(plaintext)),
            ("keyed encryptAll", try cryptor.encryptAll([plaintext])[0].get()),
            ("stream", Array(streamed.dropFirst(2))), ("stream of Data", Array(data.dropFirst(2))),
        ]
    }

    /// Each entry that takes a message.
    private func readers(of message: some Collection<UInt8>) -> [(
        name: String, read: () throws -> [UInt8]
    )] {
        [
            ("decrypt", { try Cryptor.decrypt(message, with: credential) }),
            ("keyed", { try KeyedCryptor(keys).decrypt(message) }),
            ("keyed decryptAll", { try KeyedCryptor(keys).decryptAll([message])[0].get() }),
            (
                "stream",
                {
                    var output: [UInt8] = [1, 2]
                    var decryptor = try Decryptor(credential)
                    try decryptor.update(message, unverifiedInto: &output)
                    try decryptor.finish(into: &output)
                    return Array(output.dropFirst(2))
                }
            ),
            (
                "stream of Data",
                {
                    var output = Data([1, 2])
                    var decryptor = try Decryptor(credential)
                    try decryptor.update(Data(message), unverifiedInto: &output)
                    try decryptor.finish(into: &output)
                    return Array(output.dropFirst(2))
                }
            ),
        ]
    }

    /// Collections of up to 4,096 bytes are copied, longer ones only if their storage is not
    /// contiguous.
    @Test(arguments: [0, 1, 333, 4030, 4031, 4096, 4097, 70_000])
    func everyKindAtEveryEntry(byteCount: Int) throws {
        let plaintext = LongBytes.bytes(byteCount)
        for bytes in wrapped(plaintext) {
            for (name, message) in try messages(of: bytes) {
                let found = try Cryptor.decrypt(message, with: credential)
                #expect(
                    sameBytes(found, plaintext),
                    "\(name) of \(type(of: bytes)), \(SeededGenerator())")
            }
        }
        let message = try Cryptor.encrypt(plaintext, with: credential)
        var altered = message
        altered[message.count - 1] ^= 1
        for (bytes, wrong) in zip(wrapped(message), wrapped(altered)) {
            for (name, read) in readers(of: bytes) {
                #expect(
                    try sameBytes(read(), plaintext),
                    "\(name) of \(type(of: bytes)), \(SeededGenerator())")
            }
            for (name, read) in readers(of: wrong) {
                let error = try caughtError { _ = try read() }
                #expect(error?.code == .authenticationFailed, "\(name) of \(type(of: bytes))")
            }
            #expect(
                Cryptor.base64Text(of: bytes) == Cryptor.base64Text(of: message),
                "\(type(of: bytes))")
        }
    }
    /// Where no type is stated, arrays become arrays, and `Data` becomes `Data`.
    @Test func statedByTheArgument() async throws {
        let pool = CryptorPool.shared
        let ring = try Credential.keyring(primary: .keys(.random()), previous: [credential])
        let cryptor = try await pool.keyedCryptor(for: ring)
        let message = try cryptor.encrypt([1, 2, 3])
        let pooled = try await pool.encrypt([1, 2, 3], with: credential)
        let all = cryptor.encryptAll([[1, 2, 3]])
        let opened = [
            try cryptor.decrypt(message), try await pool.decrypt(pooled, with: credential),
            try cryptor.decryptAll([message])[0].get(),
            try cryptor.decrypt(try #require(try cryptor.rotate(pooled))),
            try cryptor.decrypt(try #require(try await pool.rotate(pooled, with: ring))),
            try cryptor.decrypt(all[0].get()),
        ]
        #expect(type(of: opened) == [[UInt8]].self && opened.allSatisfy { $0 == [1, 2, 3] })

        let data = try cryptor.encrypt(Data([1, 2, 3]))
        let pooledData = try await pool.encrypt(Data([1, 2, 3]), with: credential)
        let allData = cryptor.encryptAll([Data([1, 2, 3])])
        let openedData = [
            try cryptor.decrypt(data), try await pool.decrypt(pooledData, with: credential),
            try cryptor.decryptAll([data])[0].get(),
            try cryptor.decrypt(try #require(try cryptor.rotate(pooledData))),
            try cryptor.decrypt(try #require(try await pool.rotate(pooledData, with: ring))),
            try cryptor.decrypt(allData[0].get()),
        ]
        #expect(type(of: openedData) == [Data].self)
        #expect(openedData.allSatisfy { $0 == Data([1, 2, 3]) })
    }
}
