import CCryptorProbe
import CryptorFormat

/// 16 bytes that must not be found in a process that no longer uses a secret.
package struct Needle {
    private static let byteCount = Int(PROBE_NEEDLE_BYTES)

    private let name: String
    private let bytes: [UInt8]

    /// The first and the last 16 bytes, since a copy may hold only one half of the bytes.
    package static func ends(_ name: String, _ bytes: [UInt8]) -> [Needle] {
        [
            Needle(name: "\(name)-start", bytes: Array(bytes.prefix(byteCount))),
            Needle(name: "\(name)-end", bytes: Array(bytes.suffix(byteCount))),
        ]
    }

    package static func password(_ password: [UInt8]) -> [Needle] {
        let states = [("inner", UInt8(0x36)), ("outer", 0x5C)].flatMap { name, pad in
            var state = [UInt32](repeating: 0, count: 5)
            probe_sha1_state(block(password, pad), &state)
            return ends("password-\(name)-state", inMemory(state))
        }
        return ends("password", password) + states
    }

    package static func keys(_ name: String, encryption: [UInt8], hmac: [UInt8]) -> [Needle] {
        var needles = ends("\(name)-encryption-key", encryption) + ends("\(name)-hmac-key", hmac)
        for (index, roundKey) in AESRoundKeys.encryption(encryption).enumerated().dropFirst(2) {
            needles.append(Needle(name: "\(name)-round-key-\(index)", bytes: roundKey))
        }
        for (index, roundKey) in AESRoundKeys.decryption(encryption).enumerated() {
            needles.append(
                Needle(name: "\(name)-decryption-round-key-\(index + 1)", bytes: roundKey))
        }
        for (pad, value) in [("inner", UInt8(0x36)), ("outer", 0x5C)] {
            needles += ends("\(name)-\(pad)-pad", Array(block(hmac, value).prefix(32)))
            var state = [UInt32](repeating: 0, count: 8)
            probe_sha256_state(block(hmac, value), &state)
            needles += ends("\(name)-\(pad)-state", inMemory(state))
        }
        return needles
    }

    private static func block(_ key: [UInt8], _ pad: UInt8) -> [UInt8] {
        (0..<64).map { ($0 < key.count ? key[$0] : 0) ^ pad }
    }

    private static func inMemory(_ words: [UInt32]) -> [UInt8] {
        words.withUnsafeBytes { Array($0) }
    }

    /// The needle in the form that the search reads.
    package var line: String { "\(name) \(masked(bytes).hex)" }
}

package func masked(_ bytes: [UInt8]) -> [UInt8] {
    var masked = bytes
    probe_mask(&masked, masked.count)
    return masked
}
