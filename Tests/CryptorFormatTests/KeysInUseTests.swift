import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// Keys that have been used before take a faster path, which refuses the same versions.
@Suite struct KeysInUseTests {
    @Test func refuseVersionsThatAreNotAccepted() throws {
        let keys = try KeyPair.random()
        let credential = Credential.keys(keys)
        let message = try Cryptor.encrypt([1, 2, 3], with: credential)
        for use in 0..<4 {
            #expect(try Cryptor.decrypt(message, with: credential) == [1, 2, 3])
            let error = #expect(throws: CryptorError.self, "use \(use)") {
                try Cryptor.decrypt(message, with: credential, accepting: [.v2])
            }
            #expect(error?.code == .versionNotAccepted, "use \(use)")
            let ofData = #expect(throws: CryptorError.self, "use \(use), Data") { () -> Data in
                try Cryptor.decrypt(Data(message), with: credential, accepting: [.v2])
            }
            #expect(ofData?.code == .versionNotAccepted, "use \(use), Data")
        }
        for results in [
            try KeyedCryptor(keys).decryptAll([message, message], accepting: [.v2]),
            Cryptor.decryptAll([message, message], with: credential, accepting: [.v2]),
        ] {
            #expect(results.count == 2)
            for result in results {
                let error = #expect(throws: CryptorError.self) { try result.get() }
                #expect(error?.code == .versionNotAccepted)
            }
        }
    }

    /// Every function that takes small messages, with arrays and with `Data`.
    enum Way: CaseIterable {
        case encrypt, encryptData, decrypt, decryptData, encryptAll, encryptAllData, decryptAll, decryptAllData
        case poolEncrypts, poolEncryptsData, poolDecrypts, poolDecryptsData, poolEncryptsAll, poolEncryptsAllData

        func run(_ keys: Credential, _ message: [UInt8]) async throws {
            let pool = CryptorPool.shared
            let (bytes, data) = (Array("attack".utf8), Data("attack".utf8))
            switch self {
            case .encrypt: for _ in 0..<2 { _ = try Cryptor.encrypt(bytes, with: keys) }
            case .encryptData: for _ in 0..<2 { let _: Data = try Cryptor.encrypt(data, with: keys) }
            case .decrypt: for _ in 0..<2 { #expect(try Cryptor.decrypt(message, with: keys) == bytes) }
            case .decryptData: for _ in 0..<2 { #expect(try Cryptor.decrypt(Data(message), with: keys) == data) }
            case .encryptAll: _ = Cryptor.encryptAll([bytes, bytes], with: keys)
            case .encryptAllData: let _: [Result<Data, CryptorError>] = Cryptor.encryptAll([data, data], with: keys)
            case .decryptAll: _ = Cryptor.decryptAll([message, message], with: keys)
            case .decryptAllData:
                let results: [Result<Data, CryptorError>] = Cryptor.decryptAll(
                    [Data(message), Data(message)], with: keys)
                #expect(try results.map { try $0.get() } == [data, data])
            case .poolEncrypts: for _ in 0..<2 { _ = try await pool.encrypt(bytes, with: keys) }
            case .poolEncryptsData: for _ in 0..<2 { let _: Data = try await pool.encrypt(data, with: keys) }
            case .poolDecrypts: for _ in 0..<2 { _ = try await pool.decrypt(message, with: keys) }
            case .poolDecryptsData: for _ in 0..<2 { let _: Data = try await pool.decrypt(Data(message), with: keys) }
            case .poolEncryptsAll: _ = await pool.encryptAll([bytes, bytes], with: keys)
            case .poolEncryptsAllData:
                let _: [Result<Data, CryptorError>] = await pool.encryptAll([data, data], with: keys)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func takeTheShorterWay(way: Way) async throws {
        let random = try KeyPair.random()
        let copies = random.copyKeys()
        func copied() throws -> KeyPair {
            try KeyPair(encryptionKey: copies.encryptionKey, hmacKey: copies.hmacKey)
        }
        let message = try Cryptor.encrypt(Array("attack".utf8), with: .keys(try copied()))
        for (kind, fresh) in [("random", random), ("copied", try copied())] {
            try await way.run(.keys(fresh), message)
            #expect(fresh.reusableContexts() != nil, "\(kind)")
        }
    }
}
