import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Columns of strings, and the messages that are made of them.
@Suite struct ByteColumnTests {
    private let keys: KeyPair
    private let credential: Credential
    private let password: Credential

    init() throws {
        keys = try KeyPair.random()
        credential = .keys(keys)
        password = try .password("correct horse battery staple")
    }

    private func strings(_ column: ByteColumn) -> [[UInt8]] { (0..<column.count).map { Array(column[$0]) } }

    // MARK: The column itself

    @Test func whatIsPutIn() throws {
        let all: [[UInt8]] = [[], [1], [], [2, 3, 4], LongBytes.bytes(1000), []]
        var column = ByteColumn()
        for string in all { column.append(string[...]) }
        #expect(strings(column) == all)
        #expect(ByteColumn(all) == column)
        #expect(try ByteColumn(column.bytes, offsets: column.offsets) == column)
        #expect(column.offsets == [0, 0, 1, 1, 4, 1004, 1004])
        #expect((0..<all.count).allSatisfy { column.span($0).byteCount == all[$0].count })
        column.removeAll()
        #expect(column == ByteColumn())
        #expect(ByteColumn().count == 0)
    }

    /// Offsets may select a part of a larger array, as they do in Arrow.
    @Test func offsetsIntoMore() throws {
        let column = try ByteColumn([9, 1, 2, 3, 9, 9], offsets: [1, 2, 2, 4])
        #expect(strings(column) == [[1], [], [2, 3]])
        #expect(column.bytes == [1, 2, 3])
        #expect(column.offsets == [0, 1, 1, 3])
    }

    @Test(arguments: [[], [-1, 0], [0, 2, 1], [0, 4], [2, 1], [Int.max], [0, .max], [Int.min, 0]])
    func offsetsThatAreNone(offsets: [Int]) {
        let error = #expect(throws: CryptorError.self) { try ByteColumn([1, 2, 3], offsets: offsets) }
        #expect(error?.code == .invalidRange)
    }

    /// If the closure throws, no string is added.
    @Test func aStringThatIsNotAdded() throws {
        struct Refusal: Error {}
        var column = ByteColumn([[1, 2]])
        #expect(throws: Refusal.self) {
            try column.append { (bytes) throws(Refusal) in
                bytes += [3, 4]
                throw Refusal()
            }
        }
        #expect(strings(column) == [[1, 2]] && column.bytes == [1, 2])
    }

    // MARK: Messages

    private var plaintexts: [[UInt8]] {
        [0, 1, 15, 16, 17, 64, 1000, 256 * 1024, 256 * 1024 + 1, 3].map { LongBytes.bytes($0) }
            + (0..<100).map { LongBytes.bytes($0) }
    }

    @Test func eachMessageIsWhatItIsAlone() throws {
        let cryptor = try KeyedCryptor(keys)
        let column = ByteColumn(plaintexts)
        for encrypted in [cryptor.encryptAll(column), Cryptor.encryptAll(column, with: credential)] {
            #expect(encrypted.failures.isEmpty)
            #expect(try strings(encrypted.column).map { try Cryptor.decrypt($0, with: credential) } == plaintexts)
            #expect(Set(strings(encrypted.column)).count == plaintexts.count, "an IV came twice")
            for decrypted in [
                cryptor.decryptAll(encrypted.column), Cryptor.decryptAll(encrypted.column, with: credential),
            ] {
                #expect(decrypted.failures.isEmpty)
                #expect(strings(decrypted.column) == plaintexts)
            }
        }
        let arrays = try cryptor.encryptAll(plaintexts).map { try $0.get() }
        #expect(try cryptor.decryptAll(arrays).map { try $0.get() } == plaintexts)
    }

    @Test func passwordsToo() throws {
        let some = Array(plaintexts.suffix(20))
        let encrypted = Cryptor.encryptAll(ByteColumn(some), with: password)
        #expect(encrypted.failures.isEmpty)
        #expect(try strings(encrypted.column).map { try Cryptor.decrypt($0, with: password) } == some)
        #expect(strings(Cryptor.decryptAll(encrypted.column, with: password).column) == some)
    }

    /// Each vector of every version and fault has the same result in one column as alone.
    @Test(arguments: [false, true])
    func mixedWithEveryFault(accepting everything: Bool) throws {
        let acceptance = everything ? Acceptance.everything : .default
        let own = Cryptor.encryptAll(ByteColumn(plaintexts), with: credential).column
        var messages = try VectorFolder.readable().map(\.message) + VectorFolder.refused().map(\.message)
        for index in 0..<own.count {
            messages.insert(Array(own[index]), at: index * 4)
            var altered = Array(own[index])
            altered[altered.count / 2] ^= 1
            messages.insert(altered, at: index * 4 + 2)
        }
        let expected = Cryptor.decryptAll(messages, with: credential, accepting: acceptance)
        let cryptor = try KeyedCryptor(keys)
        for result in [
            cryptor.decryptAll(ByteColumn(messages), accepting: acceptance),
            Cryptor.decryptAll(ByteColumn(messages), with: credential, accepting: acceptance),
        ] {
            var failures = result.failures[...]
            #expect(result.column.count == messages.count)
            for (index, expected) in expected.enumerated() {
                let failure = failures.first?.index == index ? failures.popFirst() : nil
                switch expected {
                case .success(let plaintext): #expect(failure == nil && result.column[index] == plaintext[...])
                case .failure(let error): #expect(failure?.error == error && result.column[index].isEmpty)
                }
            }
            #expect(failures.isEmpty)
        }
    }

    @Test func nothing() throws {
        #expect(Cryptor.encryptAll(ByteColumn(), with: credential).column.count == 0)
        #expect(Cryptor.decryptAll(ByteColumn(), with: password).column.count == 0)
    }
}
