import COpenSSL
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// A failure names the function and OpenSSL's reason, and takes the reason out of the queue: one that stayed would be
/// blamed on the next failure.
@Suite struct OpenSSLErrorTests {
    @Test func functionAndReason() throws {
        let failure = #expect(throws: OpenSSLError.self) {
            try PBKDF2.deriveKey(password: SecretBytes([1]), salt: [UInt8](repeating: 0, count: 8), iterations: 0)
        }
        let error = try #require(failure)
        let reason = try #require(error.reason)
        #expect(error.function == "PKCS5_PBKDF2_HMAC" && reason.hasPrefix("error:"))
        #expect(error.description == "\(error.function): \(reason)")
        #expect(ERR_peek_error() == 0 && OpenSSLError(failed: "none").reason == nil)
        let unknown = OpenSSLError(function: "EVP_MAC_final", reason: nil)
        #expect(unknown.description == "EVP_MAC_final failed and gave no reason")
    }
}
