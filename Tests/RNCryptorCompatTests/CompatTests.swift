import CryptorFormat
import CryptorPrimitives
import CryptorTestSupport
import Foundation
import Testing

@testable import RNCryptorCompat

/// Every vector, through the API of RNCryptor: what it reads and writes is to the byte what
/// RNCryptor 5 reads and writes, and bad input gives the errors that RNCryptor throws, and never
/// data.
@Suite struct CompatTests {
    private static let readable = Result { try VectorDirectory.readable() }
    private static let refused = Result { try VectorDirectory.refused() }
    private static let password = Secret.password("correct horse battery staple")
    private static let keys = Secret.keys(
        encryption: Array(repeating: 1, count: 32), hmac: Array(repeating: 2, count: 32))
    private static let secrets = [password, keys]

    private func message(_ secret: Secret) throws -> [UInt8] {
        try Cryptor.encrypt([7, 8, 9], with: secret.credential)
    }

    /// What all decryptors that take `secret` make of a message, whole and in chunks: the
    /// plaintext, or the error, which must be that of RNCryptor.
    private func check(
        _ message: [UInt8], _ secret: Secret, is plaintext: [UInt8]?, _ name: String,
        _ chunkings: [Chunking] = [.whole, .fixed(1)]
    ) {
        for chunking in chunkings {
            for cryptor in secret.decryptors() {
                let reading = CompatReading(message, with: cryptor, chunking)
                let isGeneric = cryptor is RNCryptor.Decryptor
                let expected =
                    plaintext == nil ? expectedError(for: message, secret, generic: isGeneric) : nil
                let comment = "\(name), \(type(of: cryptor)) \(chunking)"
                #expect(reading.error == expected, "\(comment)")
                #expect(reading.plaintext.map(Array.init) == plaintext, "\(comment)")
                #expect(plaintext != nil || reading.isSticky, "\(comment)")
            }
        }
        guard case .password(let password, _) = secret, !password.isEmpty else { return }
        let whole = Result {
            Array(try RNCryptor.decrypt(data: Data(message), withPassword: password))
        }
        #expect((try? whole.get()) == plaintext, "\(name)")
        if case .failure(let error) = whole {
            let expected = expectedError(for: message, secret, generic: true)
            #expect(error as? RNCryptor.Error == expected, "\(name)")
        }
    }

    private static let chunkings = [Chunking.whole, .fixed(1), .padded(16)]

    /// RNCryptor 5 reads version 3 only, and knows no other number of iterations and no empty
    /// password.
    @Test(arguments: try readable.get()) func readableVectors(_ vector: ReadableVector) throws {
        let isOurs =
            vector.version == 3 && vector.secret.underStandardIterations == nil
            && !vector.secret.isEmptyPassword
        check(
            vector.message, vector.secret, is: isOurs ? vector.plaintext : nil, "\(vector)",
            Self.chunkings)
        guard isOurs else { return }
        #expect(
            Array(try vector.encryptor().encrypt(data: Data(vector.plaintext))) == vector.message,
            "\(vector)")
        let writing = CompatReading(vector.plaintext, with: try vector.encryptor(), .fixed(7))
        #expect(writing.plaintext.map(Array.init) == vector.message, "\(vector)")
    }

    /// The error is the one that RNCryptor throws, or would throw if it checked the padding.
    /// Readings of shortened passwords are never tried, which would open forgeries.
    @Test(arguments: try refused.get()) func refusedVectors(_ vector: RefusedVector) {
        check(vector.message, vector.secret, is: nil, "\(vector)", Self.chunkings)
        guard vector.message.first != 3 else { return }
        let derivations = DerivationCounter.count {
            check(vector.message, vector.secret, is: nil, "\(vector)", [.whole])
        }
        #expect(derivations == 0 || !vector.secret.isPassword, "\(vector)")
    }

    @Test(arguments: try VectorDirectory.derivations().filter { $0.name.hasPrefix("v3/") })
    func derived(_ vector: DerivationVector) {
        let key = RNCryptor.FormatV3.makeKey(
            forPassword: vector.password, withSalt: Data(vector.salt))
        #expect(Array(key) == vector.key, "\(vector)")
    }

    // MARK: Round trips

    @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 1000, 100_003])
    func roundTrips(_ count: Int) throws {
        var generator = SeededGenerator()
        let plaintext = generator.bytes(count)
        let (encryptionKey, hmacKey) = (
            RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize),
            RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
        )
        let secret = Secret.keys(encryption: Array(encryptionKey), hmac: Array(hmacKey))
        let password = "correct horse battery staple"
        let encryptors: [(any RNCryptorType, Secret)] = [
            (RNCryptor.Encryptor(password: password), Self.password),
            (RNCryptor.EncryptorV3(password: password), Self.password),
            (RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey), secret),
        ]
        for (encryptor, secret) in encryptors {
            let random = Chunking.random(generator, maximum: 70)
            let message = Array(
                try #require(CompatReading(plaintext, with: encryptor, random).plaintext))
            #expect(message.count == (secret.isPassword ? 34 : 18) + (count / 16 + 1) * 16 + 32)
            check(
                message, secret, is: plaintext, "\(count) bytes, \(generator)",
                [.whole, .fixed(33)])
            #expect(
                try Cryptor.decrypt(message, with: secret.credential) == plaintext,
                "\(count) bytes, \(generator)")
            let ours = try Cryptor.encrypt(plaintext, with: secret.credential)
            check(ours, secret, is: plaintext, "\(count) bytes, \(generator)", [.whole])
        }
        // A slice of `Data` works although its first index is not 0.
        let part = (Data([9, 9]) + Data(plaintext) + Data([9])).dropFirst(2).dropLast()
        let sealed = RNCryptor.encrypt(data: part, withPassword: password)
        let opened = try RNCryptor.decrypt(
            data: (Data([9]) + sealed).dropFirst(), withPassword: password)
        #expect(Array(opened) == plaintext)
    }

    /// The header comes with the first update, even with an empty one, as from RNCryptor. A
    /// decryptor releases, unverified, all but the last 48 to 63 bytes.
    @Test func portions() throws {
        let encryptor = RNCryptor.Encryptor(password: "a")
        #expect(encryptor.update(withData: Data()).count == 34)
        #expect(encryptor.update(withData: Data(count: 15)).isEmpty)
        #expect(encryptor.update(withData: Data(count: 1)).count == 16)
        #expect(encryptor.update(withData: Data(count: 40)).count == 32)
        #expect(encryptor.finalData().count == 16 + 32)
        let message = Data(try Cryptor.encrypt([UInt8](0..<100), with: Self.keys.credential))
        let decryptor = Self.keys.decryptorV3()
        #expect(try decryptor.update(withData: message.prefix(18)).isEmpty)
        #expect(try decryptor.update(withData: message.dropFirst(18)) == Data(0..<96))
        #expect(try decryptor.finalData() == Data(96..<100))
    }

    /// Other input is refused at its first byte, and a decryptor that has failed fails again.
    @Test func failsAtOnceAndForGood() {
        let decryptor = RNCryptor.Decryptor(password: "a")
        #expect(throws: RNCryptor.Error.unknownHeader) { try decryptor.update(withData: Data([4])) }
        let empty = RNCryptor.Decryptor(password: "a")
        let first = #expect(throws: RNCryptor.Error.self) { try empty.finalData() }
        let later = #expect(throws: RNCryptor.Error.self) {
            try empty.update(withData: Data([3, 1]))
        }
        #expect(first != nil && later == first)
    }

    /// To HMAC, up to 64 zero bytes are the empty password, and more are another.
    @Test(arguments: [1, 64, 65]) func zeroBytes(count: Int) throws {
        let text = String(repeating: "\0", count: count)
        let message = RNCryptor.encrypt(data: Data([7]), withPassword: text)
        let credential = count > 64 ? try Credential.password(text) : .emptyPassword
        #expect(try Cryptor.decrypt(message, with: credential) == Data([7]))
        #expect(try RNCryptor.decrypt(data: message, withPassword: text) == Data([7]))
    }

    @Test func randomDataAndSizes() {
        let messages = (0..<3).map { _ in RNCryptor.encrypt(data: Data([1]), withPassword: "a") }
        for part in [2..<10, 10..<18, 18..<34] {
            #expect(Set(messages.map { $0.subdata(in: part) }).count == 3)
        }
        #expect(
            RNCryptor.randomData(ofLength: 0).isEmpty
                && RNCryptor.randomData(ofLength: 1).count == 1)
        let large = RNCryptor.randomData(ofLength: 2 << 20 | 3)
        #expect(
            large.count == 2 << 20 | 3 && Set(large).count == 256
                && large.prefix(64) != large.suffix(64))
        let sizes = [
            RNCryptor.FormatV3.keySize, RNCryptor.FormatV3.saltSize,
            RNCryptor.FormatV3.keyHeaderSize,
        ]
        #expect(
            sizes == [32, 8, 18] && RNCryptor.FormatV3.passwordHeaderSize == 34
                && RNCryptor.FormatV3.formatVersion == 3)
    }

    // MARK: Errors

    @Test func rawValues() {
        let errors: [RNCryptor.Error] = [
            .hmacMismatch, .unknownHeader, .messageTooShort, .memoryFailure, .invalidCredentialType,
        ]
        #expect(errors.map(\.rawValue) == [1, 2, 3, 4, 5])
        let error = RNCryptor.Error.hmacMismatch as NSError
        #expect(error.domain == "RNCryptorCompat.RNCryptor.Error" && error.code == 1)
        for error in errors {
            #expect(error.localizedDescription == error.errorDescription, "\(error)")
        }
        #expect(Set(errors.map(\.localizedDescription)).count == errors.count)
    }

    /// Messages of every length, under the right secret, a wrong one, and one of the other kind,
    /// and with every version and option. An empty password must not end a service: anybody who
    /// logs in may send one.
    @Test(arguments: secrets)
    func everyFault(_ secret: Secret) throws {
        let message = try message(secret)
        #expect(message.count == (secret.isPassword ? 82 : 66))
        check(message, secret, is: [7, 8, 9], "whole")
        let other = secret.isPassword ? Self.keys : Self.password
        let otherKeys = Secret.keys(
            encryption: Array(repeating: 1, count: 32), hmac: Array(repeating: 3, count: 32))
        let wrong = secret.isPassword ? Secret.password("Correct horse battery staple") : otherKeys
        check(message + [0], secret, is: nil, "a byte more")
        for count in 0..<message.count {
            let start = Array(message.prefix(count))
            for secret in [secret, other, .password(""), .password("\0")] {
                check(start, secret, is: nil, "\(count) bytes")
            }
        }
        for secret in [wrong, other, .password(""), .password("\0\0")] {
            check(message, secret, is: nil, "wrong")
        }
        for byte in UInt8.min...UInt8.max {
            if byte != 3 { check([byte] + message.dropFirst(), secret, is: nil, "version \(byte)") }
            if byte != message[1] {
                check([3, byte] + message.dropFirst(2), secret, is: nil, "options \(byte)")
            }
        }
    }

    // MARK: Misuse

    /// It ends the process with these words.
    private static let misuses = [
        Misuse("RNCryptor: the password is empty") {
            _ = RNCryptor.encrypt(data: Data(), withPassword: "")
        },
        Misuse("RNCryptor: the password is empty") { _ = RNCryptor.EncryptorV3(password: "") },
        Misuse("RNCryptor: the password is empty") {
            _ = RNCryptor.FormatV3.makeKey(forPassword: "", withSalt: Data(count: 8))
        },
        Misuse("encryption key has 31 bytes") {
            _ = RNCryptor.DecryptorV3(encryptionKey: Data(count: 31), hmacKey: Data(count: 32))
        },
        Misuse("HMAC key has 33 bytes") {
            _ = RNCryptor.EncryptorV3(encryptionKey: Data(count: 32), hmacKey: Data(count: 33))
        },
        Misuse("-1 random bytes") { _ = RNCryptor.randomData(ofLength: -1) },
        Misuse("encryptor has finished") {
            let encryptor = RNCryptor.Encryptor(password: "a")
            _ = encryptor.finalData()
            _ = encryptor.update(withData: Data())
        },
        Misuse("encryptor has finished") {
            let encryptor = RNCryptor.EncryptorV3(
                encryptionKey: Data(count: 32), hmacKey: Data(count: 32))
            _ = encryptor.encrypt(data: Data())
            _ = encryptor.finalData()
        },
    ]

    @Test func eachMisuseEndsTheProcess() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent])
        {
            Misuse.expectEnds(CompatTests.misuses)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(result != nil && said.isEmpty, "\(said)")
    }
}

extension Secret {
    func decryptorV3() -> RNCryptor.DecryptorV3 {
        switch self {
        case .password(let text, _): RNCryptor.DecryptorV3(password: text)
        case .keys(let encryption, let hmac):
            RNCryptor.DecryptorV3(encryptionKey: Data(encryption), hmacKey: Data(hmac))
        }
    }

    /// One decryptor of each type that takes such a secret.
    func decryptors() -> [any RNCryptorType] {
        guard case .password(let text, _) = self else { return [decryptorV3()] }
        return [decryptorV3(), RNCryptor.Decryptor(password: text)]
    }
}

extension ReadableVector {
    /// An encryptor with the salts and the IV of this vector.
    func encryptor() throws -> RNCryptor.EncryptorV3 {
        let header = try #require(writer?.header, "\(self)")
        return RNCryptor.EncryptorV3(try CryptorFormat.Encryptor(secret.credential, header: header))
    }
}

/// What a cryptor made of its input, fed chunk by chunk to the end, even after it had failed.
struct CompatReading {
    private(set) var unverified = Data()
    private(set) var last = Data()
    /// The first error.
    private(set) var error: RNCryptor.Error?
    /// The errors of the calls after that; nil for a call without an error.
    private(set) var laterErrors: [RNCryptor.Error?] = []

    /// Nil after a failure.
    var plaintext: Data? { error == nil ? unverified + last : nil }

    var isSticky: Bool { laterErrors.allSatisfy { $0 == error } && last.isEmpty }

    init(_ message: [UInt8], with cryptor: any RNCryptorType, _ chunking: Chunking) {
        for chunk in chunking.chunks(of: message) {
            unverified.append(released { try cryptor.update(withData: Data(chunk)) })
        }
        if error != nil { unverified.append(released { try cryptor.update(withData: Data()) }) }
        last = released { try cryptor.finalData() }
        // An encryptor that succeeded would trap here.
        if error != nil { last.append(released { try cryptor.finalData() }) }
    }

    /// What `call` returns, nothing if it throws.
    private mutating func released(by call: () throws -> Data) -> Data {
        let result = Result { try call() }
        var newError: RNCryptor.Error?
        if case .failure(let failure) = result {
            newError = failure as? RNCryptor.Error
            if newError == nil { Issue.record("not an RNCryptor.Error: \(failure)") }
        }
        if error != nil { laterErrors.append(newError) } else { error = newError }
        return (try? result.get()) ?? Data()
    }
}

/// What RNCryptor 5 throws for a message that it cannot decrypt, by its shape. `generic` stands for
/// `Decryptor`, which checks the first byte as soon as there is one; `DecryptorV3` waits for the
/// complete header.
func expectedError(for message: [UInt8], _ secret: Secret, generic: Bool) -> RNCryptor.Error {
    let headerSize = secret.isPassword ? 34 : 18
    if generic && message.first != 3 { return .unknownHeader }
    if message.count < headerSize { return .messageTooShort }
    if message[0] != 3 { return .unknownHeader }
    if message[1] != (secret.isPassword ? 1 : 0) { return .invalidCredentialType }
    return .hmacMismatch
}
