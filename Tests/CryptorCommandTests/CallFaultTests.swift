import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// If OpenSSL refuses a call anywhere in a message, chunk or file, the error says so, no file is written, and the next
/// message is right.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct CallFaultTests {
    private static let update = ["EVP_CipherUpdate"]
    private static let cipher = ["EVP_CipherInit_ex2"] + update
    private static let mac = ["EVP_MAC_init", "EVP_MAC_update", "EVP_MAC_final"]
    private static let iv = ["RAND_bytes"]
    private static let contexts = ["EVP_CIPHER_CTX_new", "EVP_CIPHER_CTX_set_padding", "EVP_MAC_CTX_dup"]
    /// Calls for the digests that a second reading is compared with.
    private static let digest = ["EVP_CIPHER_CTX_ctrl", "EVP_CipherFinal_ex", "RAND_priv_bytes"]

    /// Kinds of work, and calls of OpenSSL that each of them must make.
    private static let operations: [(String, [String])] = [
        ("encrypt", cipher + mac + iv), ("decrypt", cipher + mac), ("encryptStream", cipher + mac),
        ("decryptStream", cipher + mac), ("large-encrypt", cipher + mac), ("large-decrypt", cipher + mac),
        ("overlap-encrypt", cipher + mac), ("overlap-decrypt", cipher + mac), ("keyedEncrypt", update + mac),
        ("keyedDecrypt", update + mac),
        ("newKeyed", cipher + mac + contexts + iv), ("newSalts", cipher + mac + contexts),
        ("oldVersion", cipher + mac), ("encryptFile", cipher + mac + iv), ("decryptFile", cipher + mac),
        ("large-decryptFileToStream", cipher + mac + digest), ("verifyFile", cipher + mac),
        ("rekeyFile", cipher + mac), ("verifiedFile", cipher + mac + digest),
    ]

    @Test(arguments: operations)
    func eachCall(operation: String, needed: [String]) throws {
        let interposer = try Interposer.path("evp")
        let lines = try ProbeProcess(["call-faults", operation], environment: ["LD_PRELOAD": interposer]).finish()
        let wrong = lines.filter { !$0.hasPrefix("counts ") }
        #expect(wrong.isEmpty, "\(operation): \(wrong.joined(separator: "\n"))")
        var failed: Set<String> = []
        for line in lines.filter({ $0.hasPrefix("counts ") }) {
            let words = line.split(separator: " ")
            try #require(words.count == 4, "\(line)")
            // No work succeeds if one of its calls has failed.
            #expect(words[3] == "0", "\(operation): \(line)")
            if words[2] != "0" { failed.insert(String(words[1])) }
        }
        // This function is called once in a process, and that was before.
        #expect(!failed.contains("EVP_RAND_reseed"))
        let missing = Set(needed).subtracting(failed)
        #expect(missing.isEmpty, "\(operation): no call of \(missing) failed")
    }
}
