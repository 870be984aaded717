import CryptorPrimitives

// The secrets of tests need no protection.
extension SecretBytes {
    package convenience init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { output in
            CryptorPrimitives.withRawSpan(of: bytes) { bytes in bytes.append(to: &output) }
        }
    }

    package var plain: [UInt8] { withRawSpan { bytes in Array(copying: bytes) } }
}

extension HMACAuthenticator {
    /// The code. Nothing can be added afterwards.
    package mutating func finish() throws(OpenSSLError) -> [UInt8] {
        try Array(byteCapacity: Self.byteCount) { (output) throws(OpenSSLError) in
            try finish(into: &output)
        }
    }
}
