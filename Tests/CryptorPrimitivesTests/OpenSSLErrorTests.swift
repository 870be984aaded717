import COpenSSL
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct OpenSSLErrorTests {
    private func failure(iterations: Int) -> OpenSSLError? {
        do throws(OpenSSLError) {
            _ = try PBKDF2.deriveKey(
                password: SecretBytes([1, 2, 3]), salt: [UInt8](repeating: 0, count: 8), iterations: iterations)
            return nil
        } catch {
            return error
        }
    }

    @Test func namesTheFunctionAndItsReason() throws {
        let error = try #require(failure(iterations: 0))
        #expect(error.function == "PKCS5_PBKDF2_HMAC")
        let reason = try #require(error.reason)
        #expect(reason.hasPrefix("error:"))
        #expect(error.description == "\(error.function): \(reason)")
    }

    /// A reason that stayed in the queue would be blamed on the next failure.
    @Test func clearsTheQueue() throws {
        _ = try #require(failure(iterations: 0))
        #expect(ERR_peek_error() == 0)
        #expect(OpenSSLError(failed: "none").reason == nil)
    }

    @Test func saysSoWhenThereIsNoReason() {
        let error = OpenSSLError(function: "EVP_MAC_final", reason: nil)
        #expect(error.description == "EVP_MAC_final failed and gave no reason")
    }
}
