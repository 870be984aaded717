import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// If OpenSSL refuses a call anywhere in a message, chunk or file, the error says so, no file is
/// written, the next message is right, and its contexts are none that a failed call has used.
/// OpenSSL's queue of reasons is as before, with the program's reasons and marks in it, which no
/// error quotes. Only short messages under contexts that are ready leave OpenSSL's reason there.
@Suite(
    .onItsOwnThread, .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
struct CallFaultTests {
    private static let update = ["EVP_CipherUpdate"]
    private static let cipher = ["EVP_CipherInit_ex2"] + update
    private static let mac = ["EVP_MAC_init", "EVP_MAC_update", "EVP_MAC_final"]
    private static let iv = ["RAND_bytes"]
    private static let contexts = [
        "EVP_CIPHER_CTX_new", "EVP_CIPHER_CTX_set_padding", "EVP_MAC_CTX_dup",
    ]
    /// Calls for the digests that a second reading is compared with.
    private static let digest = ["EVP_CIPHER_CTX_ctrl", "EVP_CipherFinal_ex", "RAND_priv_bytes"]

    /// Kinds of work, and calls of OpenSSL that each of them must make.
    private static let operations: [(String, [String])] = [
        ("encrypt", cipher + mac + iv), ("decrypt", cipher + mac), ("encryptStream", cipher + mac),
        ("decryptStream", cipher + mac), ("large-encrypt", cipher + mac),
        ("large-decrypt", cipher + mac),
        ("overlap-encrypt", cipher + mac), ("overlap-decrypt", cipher + mac),
        ("keyedEncrypt", update + mac),
        ("keyedDecrypt", update + mac),
        ("newKeyed", cipher + mac + contexts + iv), ("newSalts", cipher + mac + contexts),
        ("oldVersion", cipher + mac), ("version0", cipher + ["EVP_Q_mac"]),
        ("encryptFile", cipher + mac + iv),
        ("decryptFile", cipher + mac),
        ("large-decryptFileToStream", cipher + mac + digest), ("verifyFile", cipher + mac),
        ("rekeyFile", cipher + mac), ("verifiedFile", cipher + mac + digest),
    ]

    /// What the probe counted: a name, how many calls failed with an error, and how many had a
    /// right result.
    private func counts(of words: [String], environment: [String: String]) throws -> [(
        name: String, error: Int, right: Int
    )] {
        let lines = try ProbeProcess(words, environment: environment).finish()
        let wrong = lines.filter { !$0.hasPrefix("counts ") }
        #expect(wrong.isEmpty, "\(words): \(wrong.joined(separator: "\n"))")
        return try lines.filter { $0.hasPrefix("counts ") }.map { line in
            let fields = line.split(separator: " ").map(String.init)
            try #require(fields.count == 4, "\(line)")
            return (fields[1], try #require(Int(fields[2])), try #require(Int(fields[3])))
        }
    }

    @Test(arguments: operations)
    func eachCall(operation: String, needed: [String]) throws {
        let counts = try counts(
            of: ["call-faults", operation], environment: ["LD_PRELOAD": Interposer.path("evp")])
        // No work succeeds if one of its calls has failed, unless that was only to keep the keys
        // for the next message.
        #expect(
            operation == "newSalts" || counts.allSatisfy { $0.right == 0 },
            "\(operation): \(counts)")
        let failed = Set(counts.filter { $0.error > 0 }.map(\.name))
        // This function is called once in a process, and that was before.
        #expect(!failed.contains("EVP_RAND_reseed"))
        let missing = Set(needed).subtracting(failed)
        #expect(missing.isEmpty, "\(operation): no call of \(missing) failed")
    }

    /// The same if any one allocation of OpenSSL fails, or all from it on, but then the result may
    /// be right. This does not hold while OpenSSL sets itself up: OpenSSL 3.0 itself does not
    /// survive that.
    @Test(arguments: [
        "encrypt", "encryptStream", "decrypt", "decryptStream", "keyedEncrypt", "keyedDecrypt",
        "newKeyed",
        "encryptPassword", "decryptPassword", "newSalts",
    ])
    func eachAllocation(operation: String) throws {
        // The library's own PBKDF2 is used here: OpenSSL's makes some hundred thousand allocations.
        let counts = try counts(
            of: ["allocations", operation], environment: ["CRYPTORFORMAT_OPENSSL_KDF": "0"])
        try #require(counts.count == 2, "\(counts)")
        // Contexts that were used before need no memory.
        #expect(
            operation.hasPrefix("keyed") || counts[0].error > 0,
            "no allocation made a call fail: \(counts)")
    }
}
