import CryptorFormat
import CryptorPrimitives
import Foundation
import CryptorTestSupport
import Testing

@testable import RNCryptorCompat

/// Bad input gives the errors that RNCryptor throws, and never data.
@Suite struct CompatErrorTests {
    private static let password = Secret.password("correct horse battery staple")
    private static let keys = Secret.keys(
        encryption: Array(repeating: 1, count: 32), hmac: Array(repeating: 2, count: 32))

    private func message(_ secret: Secret) throws -> [UInt8] {
        try Cryptor.encrypt([7, 8, 9], with: secret.credential)
    }

    /// The errors of all decryptors that take `secret`, whole and in chunks of one byte; they must not differ.
    private func refusals(of message: [UInt8], by secret: Secret) -> [RNCryptor.Error?] {
        [Chunking.whole, .fixed(1)].flatMap { chunking in
            secret.decryptors().map { cryptor in
                let reading = CompatReading(message, with: cryptor, chunking)
                #expect(reading.isSticky, "\(message.count) bytes, \(type(of: cryptor)) \(chunking)")
                return reading.error
            }
        }
    }

    @Test func rawValues() {
        #expect(RNCryptor.Error.hmacMismatch.rawValue == 1)
        #expect(RNCryptor.Error.unknownHeader.rawValue == 2)
        #expect(RNCryptor.Error.messageTooShort.rawValue == 3)
        #expect(RNCryptor.Error.memoryFailure.rawValue == 4)
        #expect(RNCryptor.Error.invalidCredentialType.rawValue == 5)
        let error = RNCryptor.Error.hmacMismatch as NSError
        #expect(error.domain == "RNCryptorCompat.RNCryptor.Error")
        #expect(error.code == 1)
    }

    @Test func passwordMessagesOfEveryLength() throws {
        let message = try message(Self.password)
        #expect(message.count == 82)
        for count in 0..<message.count {
            let expected: RNCryptor.Error =
                switch count {
                case 0: .unknownHeader
                case 1...33: .messageTooShort
                default: .hmacMismatch
                }
            let prefix = Data(message.prefix(count))
            #expect(throws: expected, "\(count) bytes") {
                try RNCryptor.decrypt(data: prefix, withPassword: "correct horse battery staple")
            }
        }
        // DecryptorV3 differs from Decryptor in this one case.
        #expect(throws: RNCryptor.Error.messageTooShort) { try Self.password.decryptorV3().decrypt(data: Data()) }
        expect(try Self.password.decryptorV3().decrypt(data: Data(message)), is: [7, 8, 9], "82 bytes")
        let longer = Set(refusals(of: message + [0], by: Self.password))
        #expect(longer == [.hmacMismatch])
    }

    @Test func keyMessagesOfEveryLength() throws {
        let message = try message(Self.keys)
        #expect(message.count == 66)
        for count in 0..<message.count {
            let expected: RNCryptor.Error = count < 18 ? .messageTooShort : .hmacMismatch
            #expect(
                Set(refusals(of: Array(message.prefix(count)), by: Self.keys)) == [expected], "\(count) bytes")
        }
    }

    /// The kind of credential is known once the header that the decryptor expects is there.
    @Test func otherCredential() throws {
        let keyMessage = try message(Self.keys)
        for count in 1...keyMessage.count {
            let expected: RNCryptor.Error = count < 34 ? .messageTooShort : .invalidCredentialType
            #expect(
                Set(refusals(of: Array(keyMessage.prefix(count)), by: Self.password)) == [expected], "\(count) bytes")
        }
        let passwordMessage = try message(Self.password)
        for count in 1...passwordMessage.count {
            let expected: RNCryptor.Error = count < 18 ? .messageTooShort : .invalidCredentialType
            #expect(
                Set(refusals(of: Array(passwordMessage.prefix(count)), by: Self.keys)) == [expected], "\(count) bytes")
        }
    }

    @Test(arguments: [0, 1, 2, 4, 65, 82, 255] as [UInt8])
    func otherVersions(_ version: UInt8) throws {
        var message = try message(Self.password)
        message[0] = version
        #expect(Set(refusals(of: message, by: Self.password)) == [.unknownHeader])
        #expect(throws: RNCryptor.Error.unknownHeader) {
            try RNCryptor.Decryptor(password: "a").update(withData: Data([version]))
        }
    }

    @Test(arguments: [0, 2, 3, 128, 255] as [UInt8])
    func otherOptions(_ options: UInt8) throws {
        var message = try message(Self.password)
        message[1] = options
        #expect(Set(refusals(of: message, by: Self.password)) == [.invalidCredentialType])
    }

    @Test func everyBitMatters() throws {
        let message = try message(Self.keys)
        for bit in 0..<message.count * 8 {
            var altered = message
            altered[bit / 8] ^= 1 << (bit % 8)
            let expected: RNCryptor.Error =
                switch bit / 8 {
                case 0: .unknownHeader
                case 1: .invalidCredentialType
                default: .hmacMismatch
                }
            #expect(Set(refusals(of: altered, by: Self.keys)) == [expected], "bit \(bit)")
        }
    }

    @Test func wrongSecrets() throws {
        let other = Secret.password("Correct horse battery staple")
        #expect(Set(refusals(of: try message(Self.password), by: other)) == [.hmacMismatch])
        let otherKeys = Secret.keys(
            encryption: Array(repeating: 1, count: 32), hmac: Array(repeating: 3, count: 32))
        #expect(Set(refusals(of: try message(Self.keys), by: otherKeys)) == [.hmacMismatch])
    }

    /// An empty password must not end a service, because anybody who logs in may send one.
    @Test func emptyPassword() throws {
        let empty = Secret.password("")
        let passwordMessage = try message(Self.password)
        for count in 0...passwordMessage.count {
            let start = Array(passwordMessage.prefix(count))
            #expect(
                Set(refusals(of: start, by: empty)) == Set(refusals(of: start, by: .password("wrong"))),
                "\(count) bytes")
        }
        #expect(Set(refusals(of: try message(Self.keys), by: empty)) == [.invalidCredentialType])
        #expect(Set(refusals(of: [2] + passwordMessage.dropFirst(), by: empty)) == [.unknownHeader])
        #expect(throws: RNCryptor.Error.hmacMismatch) {
            try RNCryptor.decrypt(data: Data(passwordMessage), withPassword: "")
        }
    }

    /// A message whose ciphertext is `blocks` encrypted without padding, then `rest`, under the right HMAC.
    private func forged(_ blocks: [UInt8], rest: [UInt8] = [], with secret: Secret) throws -> [UInt8] {
        let honest = try message(secret)
        let header = try Header(parsing: honest)
        let keys = try #require(try secret.keys(for: header))
        var message = Array(honest.prefix(header.byteCount))
        var cipher = try AESCipher(.encrypt, key: keys.encryptionKey, iv: header.iv)
        try withRawSpan(of: blocks) { (blocks) throws(OpenSSLError) in
            try withRoom(for: blocks.byteCount, appendingTo: &message) { (output) throws(OpenSSLError) in
                try cipher.update(blocks, into: &output)
            }
        }
        message += rest
        var authenticator = try HMACAuthenticator(key: keys.hmacKey)
        try authenticator.update(message)
        try withRoom(for: 32, appendingTo: &message) { (output) throws(OpenSSLError) in
            try authenticator.finish(into: &output)
        }
        return message
    }

    /// All of these messages are refused, although RNCryptor returns data for them.
    @Test(arguments: [password, keys])
    func faultyMessagesUnderTheRightCode(_ secret: Secret) throws {
        let whole = [UInt8](0..<32)
        let right = whole.dropLast(2) + [2, 2]
        expect(
            try secret.decryptorV3().decrypt(data: Data(forged(Array(right), with: secret))),
            is: Array(whole.dropLast(2)), "the forger can make a right message")

        let none = try forged([], with: secret)
        #expect(none.count == (secret.isPassword ? 66 : 50))
        #expect(Set(refusals(of: none, by: secret)) == [.hmacMismatch], "no ciphertext")
        let part = try forged(whole, rest: [1, 2, 3], with: secret)
        #expect(Set(refusals(of: part, by: secret)) == [.hmacMismatch], "part of a block")

        for ending: [UInt8] in [[0], [17], [255], [1, 2], [2, 3, 3], [16]] {
            let wrong = try forged(whole.dropLast(ending.count) + ending, with: secret)
            #expect(Set(refusals(of: wrong, by: secret)) == [.hmacMismatch], "padding \(ending)")
        }
    }
}
