import CryptorPrimitives
import CryptorTestSupport
import Testing

@Suite struct OpenSSLErrorTests {
    private func failure(iterations: Int) -> OpenSSLError? {
        do throws(OpenSSLError) {
            _ = try PBKDF2.deriveKey(
                password: SecretBytes([1, 2, 3]), salt: [UInt8](repeating: 0, count: 8), iterations: iterations,
                byteCount: 32)
            return nil
        } catch {
            return error
        }
    }

    @Test func namesTheFunctionAndItsReasons() throws {
        let error = try #require(failure(iterations: 0))
        #expect(error.function == "PKCS5_PBKDF2_HMAC")
        #expect(!error.reasons.isEmpty)
        #expect(error.reasons.allSatisfy { $0.hasPrefix("error:") }, "\(error.reasons)")
        #expect(error.description.contains(error.function))
        for reason in error.reasons { #expect(error.description.contains(reason)) }
    }

    /// A reason that stayed in the queue would be blamed on the next failure.
    @Test func drainsTheQueue() throws {
        let first = try #require(failure(iterations: 0))
        let again = try #require(failure(iterations: 0))
        #expect(first.reasons == again.reasons, "\(first) / \(again)")
        let other = try #require(failure(iterations: -1))
        #expect(Set(other.reasons).isDisjoint(with: first.reasons), "\(first) / \(other)")
    }

    @Test func saysSoWhenThereIsNoReason() {
        let error = OpenSSLError(function: "EVP_MAC_final", reasons: [])
        #expect(error.description == "EVP_MAC_final failed and gave no reason")
    }
}
