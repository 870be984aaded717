import CryptorPrimitives
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFiles
@testable import CryptorFormat

/// How often keys are derived: for a whole message candidate by candidate, until one opens it; for
/// a file all of them at once, since it is read only once; for a stream when it needs them.
@Suite(.unlessItHangs, .enabled(if: DerivationCounter.isAvailable, "it counts on Linux only"))
struct DerivationTests {
    /// Candidates whose keys are derived and tried, for a message of the first of three passwords,
    /// of the last, and of none.
    typealias Counts = [Int]

    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let counts: Counts
        /// What reads messages under a credential. What it does at first does not count.
        let reader: @Sendable (Credential) throws -> ([UInt8]) throws -> Void
    }

    private static func file(
        _ name: String, _ work: @escaping @Sendable (String, Credential) throws -> Void
    ) -> Way {
        Way(testDescription: name, counts: [3, 3, 3]) { credential in
            let directory = try TemporaryDirectory()
            return { message in
                try directory.write(message, to: "message")
                try work(directory.path("message"), credential)
            }
        }
    }

    static let ways: [Way] = [
        Way(testDescription: "whole", counts: [1, 3, 3]) { credential in
            { _ = try Cryptor.decrypt($0, with: credential) }
        },
        Way(testDescription: "lazy bytes", counts: [1, 3, 3]) { credential in
            { _ = try Cryptor.decrypt($0.lazy.map { $0 }, with: credential) }
        },
        Way(testDescription: "rotated", counts: [1, 4, 3]) { credential in
            { _ = try Cryptor.rotate($0, with: credential) }
        },
        Way(testDescription: "KeyedCryptor", counts: [1, 3, 3]) { credential in
            let cryptor = try KeyedCryptor(credential)
            return { _ = try cryptor.decrypt($0) }
        },
        Way(testDescription: "KeyedCryptor, twice", counts: [1, 3, 6]) { credential in
            let cryptor = try KeyedCryptor(credential)
            return {
                _ = try? cryptor.decrypt($0)
                _ = try cryptor.decrypt($0)
            }
        },
        Way(testDescription: "stream", counts: [1, 3, 3]) { credential in
            { message in
                var decryptor = try Decryptor(credential)
                var plaintext: [UInt8] = []
                try decryptor.update(message, unverifiedInto: &plaintext)
                try decryptor.finish(into: &plaintext)
            }
        },
        file("file") { try Cryptor.decryptFile(at: $0, to: $0 + ".out", with: $1) },
        file("verifyFile") { try Cryptor.verifyFile(at: $0, with: $1) },
        file("VerifiedFile") { _ = try VerifiedFile(at: $0, with: $1) },
    ]

    @Test(arguments: ways) func howManyAreDerived(_ way: Way) throws {
        let passwords = try ["one", "two", "three", "other"].map { try Credential.password($0) }
        let keyring = try Credential.keyring(
            primary: passwords[0], previous: Array(passwords[1...2]))
        func message(_ writer: Int) throws -> [UInt8] {
            try Cryptor.encrypt([1, 2, 3], with: passwords[writer])
        }
        // An HMAC cleanses memory, too, so the unit is a candidate that is tried.
        let sound = try message(0)
        let one = try DerivationCounter.count { _ = try Cryptor.decrypt(sound, with: passwords[0]) }
        let found = try [0, 2, 3].map { writer in
            let message = try message(writer)
            let read = try way.reader(keyring)
            return Double(DerivationCounter.count { try? read(message) }) / Double(one)
        }
        #expect(found.map { Int($0.rounded()) } == way.counts, "\(found)")
    }

    /// Messages with salts of their own, by who wrote them: with the first of three passwords, the
    /// last, or another. Keys of one candidate are derived together for those that are left.
    @Test(arguments: [
        (Array(repeating: 0, count: 16), [16]), (Array(repeating: 2, count: 9), [9, 9, 9]),
        (Array(repeating: 3, count: 8), [8, 8, 8]),
        ([0, 2, 0, 3, 1, 0, 2, 2, 3, 3, 3, 2, 2, 3, 0], [15, 11, 10]),
    ])
    func whatIsDerivedTogether(writers: [Int], batches: [Int]) throws {
        let passwords = try ["one", "two", "three", "other"].map { try Credential.password($0) }
        let keyring = try Credential.keyring(
            primary: passwords[0], previous: Array(passwords[1...2]))
        let cryptor = try KeyedCryptor(keyring)
        let messages = try writers.map { writer in
            try Cryptor.encrypt([UInt8(writer)], with: passwords[writer])
        }
        var opened: [Result<OpenedMessage, CryptorError>] = []
        let found = DerivationCounter.batches { opened = cryptor.openAll(messages) }
        if PBKDF2.Engine.preferred != .openSSL { #expect(found == batches) }
        for (writer, result) in zip(writers, opened) {
            if writer == 3 {
                #expect(throws: CryptorError.authenticationFailed) { try result.get() }
            } else {
                let opened = try result.get()
                #expect(opened.credentialIndex == writer && opened.plaintext == [UInt8(writer)])
            }
        }
    }

    /// For messages that share their salts, the keys of a candidate are derived once.
    @Test func whatSharesSalts() throws {
        let (one, two) = (try Credential.password("one"), try Credential.password("two"))
        let writers = try (0..<8).map { _ in try KeyedCryptor(two) }
        let messages = try (writers + writers).map { try $0.encrypt([1]) }
        let reader = try KeyedCryptor(.keyring(primary: one, previous: [two]))
        let found = DerivationCounter.batches {
            for result in reader.openAll(messages) { #expect((try? result.get()) != nil) }
        }
        if PBKDF2.Engine.preferred != .openSSL { #expect(found == [8, 8]) }
    }

    /// New messages have salts and IVs of their own, and keys that fit.
    @Test func newMessagesTogether() throws {
        let password = try Credential.password("one")
        // A thread's first random bytes have OpenSSL cleanse its seeds.
        var messages = [try Cryptor.encrypt([7], with: password)]
        let found = try DerivationCounter.batches {
            messages = try password.newMessages(count: 9).map { header, keys in
                try Cryptor.encrypt([7], header: header, keys: keys)
            }
        }
        if PBKDF2.Engine.preferred != .openSSL { #expect(found == [9]) }
        for message in messages { #expect(try Cryptor.decrypt(message, with: password) == [7]) }
        for part in [2..<10, 10..<18, 18..<34] {
            #expect(Set(messages.map { Array($0[part]) }).count == 9)
        }
        #expect(try password.newMessages(count: 0).isEmpty)
    }

    /// A stream derives nothing before there is ciphertext to release, or its end has come and its
    /// length is right.
    @Test func whenAStreamAsks() throws {
        let password = try Credential.password("one")
        let message = try Cryptor.encrypt([UInt8](repeating: 7, count: 100), with: password)
        var decryptor = try Decryptor(password)
        var plaintext: [UInt8] = []
        // A block is released when 64 bytes have followed the header.
        #expect(
            try DerivationCounter.count {
                for byte in message[..<97] {
                    try decryptor.update([byte], unverifiedInto: &plaintext)
                }
            } == 0)
        #expect(
            try DerivationCounter.count {
                try decryptor.update(message[97..<98], unverifiedInto: &plaintext)
            } >= 2)
        #expect(plaintext.count == 16)
        for count in 0..<message.count where count < 82 || count % 16 != 2 {
            let read = DerivationCounter.count {
                var decryptor = try? Decryptor(password)
                var plaintext: [UInt8] = []
                try? decryptor?.update(message[..<min(count, 97)], unverifiedInto: &plaintext)
                try? decryptor.take()?.finish(into: &plaintext)
            }
            #expect(count >= 98 || read == 0, "\(count) bytes")
        }
    }
}
