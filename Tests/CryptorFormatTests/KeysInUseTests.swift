import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// Keys that have been used before take a shorter way, which refuses the same versions.
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
        let column = ByteColumn([message, message])
        for result in [
            try KeyedCryptor(keys).decryptAll(column, accepting: [.v2]),
            Cryptor.decryptAll(column, with: credential, accepting: [.v2]),
        ] {
            #expect(result.failures.map(\.index) == [0, 1])
            #expect(result.failures.allSatisfy { $0.error.code == .versionNotAccepted })
            #expect(result.column.bytes.isEmpty && result.column.count == 2)
        }
    }
}
