import CryptorFormat
import CryptorTestSupport
import Testing

/// If any one allocation of OpenSSL fails, the call throws an error or has the right result, and the next call is
/// right. This does not hold while OpenSSL sets itself up: OpenSSL 3.0 itself does not survive that.
@Suite struct AllocationFaultTests {
    private static let operations = [
        "encrypt", "encryptStream", "decrypt", "decryptStream", "keyedEncrypt", "keyedDecrypt", "newKeyed",
        "encryptPassword", "decryptPassword", "newSalts",
    ]

    @Test(arguments: operations)
    func eachAllocation(operation: String) throws {
        // The library's own PBKDF2 is used here: OpenSSL's makes some hundred thousand allocations.
        let lines = try ProbeProcess(["allocations", operation], environment: ["CRYPTORFORMAT_OPENSSL_KDF": "0"])
            .finish()
        let wrong = lines.filter { !$0.hasPrefix("counts ") }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        let counts = lines.map { $0.split(separator: " ").compactMap { Int($0) } }
        try #require(counts.map(\.count) == [2, 2], "\(lines)")
        // Contexts that were used before need no memory.
        #expect(operation.hasPrefix("keyed") || counts[0][0] > 0, "no allocation made a call fail: \(counts)")
    }
}
