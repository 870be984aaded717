import CryptorPrimitives

// The secrets of tests need no protection.
extension SecretBytes {
    package convenience init(_ bytes: [UInt8]) {
        self.init(byteCapacity: bytes.count) { output in
            CryptorPrimitives.withRawSpan(of: bytes) { bytes in bytes.append(to: &output) }
        }
    }

    package var plain: [UInt8] { withRawSpan { bytes in Array(copying: bytes) } }
}
