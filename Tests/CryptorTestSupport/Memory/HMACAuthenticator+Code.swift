import CryptorPrimitives
import CryptorSystem

extension HMACAuthenticator {
    /// The code. Nothing can be added afterwards.
    package mutating func finish() throws(OpenSSLError) -> [UInt8] {
        try Array(byteCapacity: hash.byteCount) { (output) throws(OpenSSLError) in try finish(into: &output) }
    }
}
