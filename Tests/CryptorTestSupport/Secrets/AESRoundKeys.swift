/// The key schedule of AES-256 (FIPS 197, section 5.2), as it lies in memory.
enum AESRoundKeys {
    /// Fifteen round keys of 16 bytes, of which the first two are the key.
    static func encryption(_ key: [UInt8]) -> [[UInt8]] {
        var words = stride(from: 0, to: 32, by: 4).map { Array(key[$0..<$0 + 4]) }
        var roundConstant: UInt8 = 1
        for index in 8..<60 {
            var word = words[index - 1]
            if index % 8 == 0 {
                word = [word[1], word[2], word[3], word[0]].map(substituted)
                word[0] ^= roundConstant
                roundConstant = product(roundConstant, 2)
            } else if index % 8 == 4 {
                word = word.map(substituted)
            }
            words.append(zip(words[index - 8], word).map { $0 ^ $1 })
        }
        return stride(from: 0, to: 60, by: 4).map { Array(words[$0..<$0 + 4].joined()) }
    }

    /// The round keys of the equivalent inverse cipher (section 5.3.5) that differ from those for
    /// encryption.
    static func decryption(_ key: [UInt8]) -> [[UInt8]] {
        encryption(key)[1..<14].map { roundKey in
            (0..<16).map { index in
                let column = index & ~3
                return (0..<4).reduce(0) { sum, row in
                    sum ^ product(roundKey[column + (index + row) % 4], [14, 11, 13, 9][row])
                }
            }
        }
    }

    /// The product in GF(2^8).
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (left, sum) = (left, UInt8(0))
        for bit in 0..<8 {
            if right >> bit & 1 == 1 { sum ^= left }
            left = left << 1 ^ (left >> 7 == 1 ? 0x1B : 0)
        }
        return sum
    }

    private static let substitutions: [UInt8] = (UInt8.min...UInt8.max).map { byte in
        let inverse = (UInt8.min...UInt8.max).first { product(byte, $0) == 1 } ?? 0
        return (0..<5).reduce(0x63) { $0 ^ (inverse << $1 | inverse >> (8 - $1)) }
    }

    private static func substituted(_ byte: UInt8) -> UInt8 { substitutions[Int(byte)] }
}
