import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

@testable import RNCryptorCompat

/// Every vector, through the API of RNCryptor.
@Suite struct CompatVectorTests {
    private static let readable = Result { try VectorFolder.readable().filter { $0.version == .v3 } }
    private static let older = Result { try VectorFolder.readable().filter { $0.version != .v3 } }
    private static let refused = Result { try VectorFolder.refused().filter { $0.name.hasPrefix("v3/") } }
    private static let derivations = Result { try VectorFolder.derivations().filter { $0.name.hasPrefix("v3/") } }

    @Test func thereAreVectors() throws {
        #expect(try Self.readable.get().count >= 40)
        #expect(try Self.older.get().count >= 80)
        #expect(try Self.refused.get().count >= 116)
        #expect(try Self.derivations.get().count >= 16)
    }

    @Test(arguments: try derivations.get())
    func derived(_ vector: DerivationVector) {
        let key = RNCryptor.FormatV3.makeKey(forPassword: vector.password, withSalt: Data(vector.salt))
        expect(key, is: vector.key, "\(vector)")
    }

    @Test(arguments: try readable.get())
    func written(_ vector: ReadableVector) throws {
        expect(try vector.encryptor().encrypt(data: Data(vector.plaintext)), is: vector.message, "\(vector)")
        let encryptor = try vector.encryptor()
        var message = Data()
        for chunk in Chunking.fixed(7).chunks(of: vector.plaintext) {
            message.append(encryptor.update(withData: Data(chunk)))
        }
        message.append(encryptor.finalData())
        expect(message, is: vector.message, "\(vector), in chunks")
    }

    @Test(arguments: try readable.get())
    func read(_ vector: ReadableVector) throws {
        let message = Data(vector.message)
        expect(try vector.secret.decryptorV3().decrypt(data: message), is: vector.plaintext, "\(vector), DecryptorV3")
        guard case .password(let password) = vector.secret else { return }
        expect(
            try RNCryptor.decrypt(data: message, withPassword: password), is: vector.plaintext, "\(vector), decrypt")
        expect(
            try RNCryptor.Decryptor(password: password).decrypt(data: message), is: vector.plaintext,
            "\(vector), Decryptor")
    }

    @Test(arguments: try readable.get())
    func readInChunks(_ vector: ReadableVector) throws {
        for chunking in [Chunking.fixed(1), .fixed(17), .fixed(48), .padded(16)] {
            for cryptor in vector.secret.decryptors() {
                let reading = CompatReading(vector.message, with: cryptor, chunking)
                expect(reading.plaintext, is: vector.plaintext, "\(vector), \(type(of: cryptor)) \(chunking)")
            }
        }
    }

    /// RNCryptor 5 reads version 3 only.
    @Test(arguments: try older.get())
    func ofAnotherVersion(_ vector: ReadableVector) {
        for cryptor in vector.secret.decryptors() {
            let reading = CompatReading(vector.message, with: cryptor, .whole)
            #expect(reading.error == .unknownHeader, "\(vector), \(type(of: cryptor))")
            #expect(reading.isSticky, "\(vector), \(type(of: cryptor))")
        }
    }

    /// Version 3 has no shortened readings of a password: a message that is forged under one is refused like any other.
    @Test(arguments: ["\u{1F511}", "\u{5BC6}\u{78BC}", "\u{43F}\u{430}\u{440}\u{43E}\u{43B}\u{44C}"])
    func neverUnderAShortenedPassword(password: String) throws {
        let secret = Secret.password(password)
        let utf8 = Array(password.utf8)
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        for count in Set([password.utf16.count, password.unicodeScalars.count]) {
            let forger = try Credential.password(utf8: utf8.prefix(count))
            for version in FormatVersion.allCases {
                let header = Header(version: version, salts: salts, iv: Array(16..<32))
                let message = try Cryptor.encrypt([1, 2, 3], with: forger, header: header)
                for (chunking, cryptor) in [Chunking.whole, .fixed(1)].flatMap({ chunking in
                    secret.decryptors().map { (chunking, $0) }
                }) {
                    var reading: CompatReading?
                    let derivations = DerivationCounter.count {
                        reading = CompatReading(message, with: cryptor, chunking)
                    }
                    let name = "\(version), \(count) bytes, \(type(of: cryptor)) \(chunking)"
                    #expect(reading?.error == (version == .v3 ? .hmacMismatch : .unknownHeader), "\(name)")
                    #expect(reading?.plaintext == nil, "\(name)")
                    #expect(version == .v3 ? derivations >= 2 : derivations == 0, "\(name)")
                }
            }
        }
    }

    /// The error is the one that RNCryptor throws, or would throw if it checked the padding.
    @Test(arguments: try refused.get())
    func rejected(_ vector: RefusedVector) {
        for chunking in [Chunking.whole, .fixed(1), .fixed(48), .padded(16)] {
            for cryptor in vector.secret.decryptors() {
                let reading = CompatReading(vector.message, with: cryptor, chunking)
                let expected = expectedError(
                    for: vector.message, vector.secret, generic: cryptor is RNCryptor.Decryptor)
                #expect(reading.error == expected, "\(vector), \(type(of: cryptor)) \(chunking)")
                #expect(reading.plaintext == nil, "\(vector), \(type(of: cryptor)) \(chunking)")
                #expect(reading.isSticky, "\(vector), \(type(of: cryptor)) \(chunking)")
            }
        }
        #expect(throws: RNCryptor.Error.self, "\(vector)") {
            try vector.secret.decryptorV3().decrypt(data: Data(vector.message))
        }
    }
}
