import CryptorFormat
import CryptorTestSupport
import Foundation
import RNCryptorCompat
import Testing

/// A message in a file that is mapped while another process writes to it is read as it was
/// encrypted, or refused.
@Suite struct AlteredMemoryCompatTests {
    @Test func whileItIsRead() throws {
        let directory = try TemporaryDirectory()
        let plaintext = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
        let keys = Data([UInt8](repeating: 7, count: 32))
        let other = Data([UInt8](repeating: 8, count: 32))
        let message = RNCryptor.EncryptorV3(encryptionKey: keys, hmacKey: other)
            .encrypt(data: Data(plaintext))
        let file = try AlteredFile(
            Array(message), altering: 2..<message.count, at: directory.path("message"))
        defer { file.close() }
        let data = try Data(
            contentsOf: URL(fileURLWithPath: file.path), options: .alwaysMapped)
        var readings = Readings()
        for _ in 0..<rounds(100, thorough: 400) {
            readings.read(
                plaintext, isRefusal: { $0 as? RNCryptor.Error == .hmacMismatch }
            ) {
                Array(
                    try RNCryptor.DecryptorV3(encryptionKey: keys, hmacKey: other)
                        .decrypt(data: data))
            }
        }
        #expect(readings.flaws.isEmpty, "\(readings)")
    }
}
