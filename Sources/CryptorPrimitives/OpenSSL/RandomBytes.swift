import COpenSSL

/// Random bytes of OpenSSL's generators, which reseed themselves after a fork. A failure throws; there is no other source.
package enum RandomBytes {
    /// `count` bytes that become public: salts, IVs (`RAND_bytes(3)`).
    package static func bytes(count: Int) throws(OpenSSLError) -> [UInt8] {
        var bytes: [UInt8] = []
        try bytes.appendBytes(capacity: count) { (output) throws(OpenSSLError) in
            try fill(count, of: &output, calling: "RAND_bytes", RAND_bytes)
        }
        return bytes
    }

    /// `count` bytes that stay secret: keys (`RAND_priv_bytes(3)`, a generator of its own).
    package static func secret(count: Int) throws(OpenSSLError) -> SecretBytes {
        try SecretBytes(count: count) { (output) throws(OpenSSLError) in
            try fill(count, of: &output, calling: "RAND_priv_bytes", RAND_priv_bytes)
        }
    }

    private static func fill(
        _ byteCount: Int, of output: inout OutputRawSpan, calling function: String,
        _ generate: (UnsafeMutablePointer<UInt8>?, CInt) -> CInt
    ) throws(OpenSSLError) {
        precondition(byteCount <= output.freeCapacity && byteCount <= CInt.max)
        try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
            let start = buffer.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self)
            try callingOpenSSL(mayLeaveReasons: true) { () throws(OpenSSLError) in
                try check(generate(start, CInt(byteCount)), calling: function)
            }
            count += byteCount
        }
    }
}
