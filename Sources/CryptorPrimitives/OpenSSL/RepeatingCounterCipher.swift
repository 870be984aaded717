import CryptorSystem

/// The cipher of version 0: AES-256 in a counter mode that counts in byte 0 only, modulo 256 and without a carry. Its
/// keystream repeats after 256 blocks, 4,096 bytes. Encryption and decryption are the same.
///
/// No mode of OpenSSL counts like this. The 256 counter blocks are encrypted once in ECB mode, as any counter mode
/// does with each of its blocks.
package struct RepeatingCounterCipher: ~Copyable, Sendable {
    package static let periodByteCount = 256 * AESCipher.blockByteCount

    private let keystream: SecretBytes
    private var position = 0

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - iv: 16 bytes: the first counter.
    package init(key: SecretBytes, iv: [UInt8]) throws(OpenSSLError) {
        precondition(iv.count == AESCipher.blockByteCount)
        var context = try CipherContext(Algorithm.aes256ECB, .encrypt, key: key)
        var counters: [UInt8] = []
        counters.reserveCapacity(Self.periodByteCount)
        for count in UInt8.min...UInt8.max {
            counters.append(iv[0] &+ count)
            counters.append(contentsOf: iv.dropFirst())
        }
        keystream = try SecretBytes(count: Self.periodByteCount) { (output) throws(OpenSSLError) in
            try context.update(counters.span.bytes, into: &output)
        }
    }

    /// Appends as many bytes as `input` has; there must be room for them.
    @_lifetime(output: copy output)
    package mutating func update(_ input: RawSpan, into output: inout OutputRawSpan) {
        precondition(output.freeCapacity >= input.byteCount, "no room for \(input.byteCount) bytes")
        var position = position
        input.withUnsafeBytes { source in
            output.withUnsafeMutableBytes { destination, count in
                keystream.withUnsafeBytes { keystream in
                    var offset = 0
                    while offset < source.count {
                        // The keystream does not wrap around within a run, so the compiler can vectorise the loop.
                        let run = min(source.count - offset, Self.periodByteCount - position)
                        for index in 0..<run {
                            destination[count + index] =
                                source[offset + index] ^ keystream[position + index]
                        }
                        position = (position + run) % Self.periodByteCount
                        offset += run
                        count += run
                    }
                }
            }
        }
        self.position = position
    }
}
