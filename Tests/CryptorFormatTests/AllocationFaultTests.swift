import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// If any one allocation of OpenSSL fails, the call throws an error or has the right result, and the next call is
/// right. This does not hold while OpenSSL sets itself up: OpenSSL 3.0 itself does not survive that.
@Suite struct AllocationFaultTests {
    private static let operations = [
        "encrypt", "encryptStream", "decrypt", "decryptStream", "keyedEncrypt", "keyedDecrypt", "newKeyed",
        "encryptPassword", "decryptPassword",
    ]

    @Test(arguments: operations)
    func eachAllocation(operation: String) throws {
        // The library's own PBKDF2 is used here: OpenSSL's makes some hundred thousand allocations.
        let lines = try ProbeProcess(["allocations", operation], environment: ["CRYPTORFORMAT_OPENSSL_KDF": "0"])
            .finish()
        try expectErrors(lines, unlessNoneIsMade: ["keyedEncrypt", "keyedDecrypt"].contains(operation))
    }

    private func expectErrors(_ lines: [String], unlessNoneIsMade mayMakeNone: Bool) throws {
        let wrong = lines.filter { !$0.hasPrefix("counts ") }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        let counts = try #require(lines.last).split(separator: " ").compactMap { Int($0) }
        try #require(counts.count == 2, "\(lines)")
        #expect(mayMakeNone || counts[0] > 0, "no allocation made a call fail: \(counts)")
    }
}
