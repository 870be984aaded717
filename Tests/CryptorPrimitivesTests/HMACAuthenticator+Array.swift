@testable import CryptorPrimitives

extension HMACAuthenticator {
    /// The code. Nothing can be added afterwards.
    mutating func finish() throws(OpenSSLError) -> [UInt8] {
        try Array(byteCapacity: Self.byteCount) { (output) throws(OpenSSLError) in
            try finish(into: &output)
        }
    }
}
