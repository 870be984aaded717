import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// A stream refuses its input at the first byte that shows that it is no message. The rest need not be fed to it.
@Suite struct RefusalPointTests {
    private static let starts: [(input: [UInt8], byteCount: Int)] = [
        ([9], 1), ([0x84], 1), ([1], 1), ([3, 2], 2), ([0x1F, 0x8B], 2), ([0x8C, 0x0E], 2), (Array("RNC\u{4}".utf8), 4),
        // Zeros look like version 0 until another byte comes, or until a header is full of them.
        ([0, 1], 2), ([UInt8](repeating: 0, count: 33) + [1], 34), ([UInt8](repeating: 0, count: 34), 34),
        (Array("A!".utf8), 2), ([UInt8](repeating: UInt8(ascii: "A"), count: 1024), 1024),
        // A password message is refused because the credential is a pair of keys.
        ([3, 1] + [UInt8](repeating: 7, count: 32), 34),
    ]

    @Test(arguments: starts)
    func isRefusedByTheByteThatTells(input: [UInt8], byteCount: Int) throws {
        var decryptor = try Decryptor(.keys(try .random()))
        var plaintext: [UInt8] = []
        for (offset, byte) in (input + [UInt8](repeating: 0, count: 100)).enumerated() {
            do { try decryptor.update([byte], unverifiedInto: &plaintext) } catch {
                #expect(offset + 1 == byteCount, "refused after so many bytes: \(error)")
                return
            }
        }
        Issue.record("not refused, and byte \(byteCount) was to be the last")
    }
}
