import CryptorSystem
import COpenSSL

/// The algorithms that only version 0 of the format uses: its cipher and its HMAC.
package enum Version0Algorithms {
    /// After how many bytes the keystream repeats: 256 blocks.
    static let periodByteCount = 256 * AESCipher.blockByteCount

    /// The length of an HMAC, in bytes.
    package static let hmacByteCount = 20

    /// How many zeros follow the HMAC.
    package static let fillingByteCount = 12

    /// AES-256 in a counter mode that counts in byte 0 only, modulo 256 and without a carry.
    /// Encryption and decryption are the same. Appends as many bytes as `input` has; there must be
    /// room for them.
    ///
    /// No mode of OpenSSL counts like this. The 256 counter blocks are encrypted once in ECB mode,
    /// as any counter mode does with each of its blocks.
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - iv: 16 bytes: the first counter.
    @_lifetime(output: copy output)
    package static func cipher(
        _ input: RawSpan, key: SecretBytes, iv: RawSpan, into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        precondition(iv.byteCount == AESCipher.blockByteCount)
        precondition(output.freeCapacity >= input.byteCount, "no room for \(input.byteCount) bytes")
        let keystream = try keystream(key: key, iv: iv)
        input.withUnsafeBytes { source in
            output.withUnsafeMutableBytes { destination, count in
                keystream.withUnsafeBytes { keystream in
                    for start in stride(from: 0, to: source.count, by: periodByteCount) {
                        // Within a period the compiler can vectorise the loop.
                        let end = min(start + periodByteCount, source.count)
                        for index in start..<end {
                            destination[count + index] = source[index] ^ keystream[index - start]
                        }
                    }
                }
                count += source.count
            }
        }
    }

    private static func keystream(key: SecretBytes, iv: RawSpan) throws(OpenSSLError) -> SecretBytes
    {
        var counters: [UInt8] = []
        counters.reserveCapacity(periodByteCount)
        for count in UInt8.min...UInt8.max {
            counters.append(iv.byte(at: 0) &+ count)
            counters.append(contentsOf: iv.extracting(droppingFirst: 1))
        }
        var context = try CipherContext(Algorithm.aes256ECB, .encrypt, key: key)
        return try SecretBytes(count: periodByteCount) { (output) throws(OpenSSLError) in
            try context.update(counters.rawSpan(counters.indices), into: &output)
        }
    }

    /// HMAC-SHA1 (RFC 2104, FIPS 180-4) of `bytes`: 20 bytes. Wraps `EVP_Q_mac(3)`.
    package static func hmac(of bytes: RawSpan, key: SecretBytes) throws(OpenSSLError)
        -> SecretBytes
    {
        try prepareOpenSSL()
        return try SecretBytes(count: hmacByteCount) { (output) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (tag, count) throws(OpenSSLError) in
                let result = bytes.withUnsafeBytes { bytes in
                    key.withUnsafeBytes { key in
                        EVP_Q_mac(
                            nil, "HMAC", nil, "SHA1", nil, key.baseAddress, key.count,
                            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
                            tag.baseAddress?.assumingMemoryBound(to: UInt8.self), tag.count, &count)
                    }
                }
                _ = try expectPointer(result, calling: "EVP_Q_mac(HMAC, SHA1)")
            }
        }
    }
}
