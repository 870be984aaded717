import COpenSSL

/// Bytes that stand in JSON as hex.
package struct Hex: Decodable, Sendable, Hashable {
    package let bytes: [UInt8]

    package init(from decoder: any Decoder) throws {
        bytes = try [UInt8](hex: decoder.singleValueContainer().decode(String.self))
    }
}

extension [UInt8] {
    /// The bytes that `text` spells, two digits each, of either case.
    package init(hex text: String) throws(VectorError) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else {
            throw VectorError("not hex: \(text)")
        }
        self = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}

extension Sequence<UInt8> {
    /// Lower-case hex without spaces.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = flatMap { byte in [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The hex of the first bytes, for the text of a failure.
    package var shortHex: String {
        let bytes = Array(self)
        return bytes.count <= 48 ? bytes.hex : "\(bytes.prefix(48).hex)… (\(bytes.count) bytes)"
    }
}

/// A digest that the library itself does not need, by OpenSSL's name for it.
package func digest(_ name: String, of bytes: [UInt8]) -> [UInt8] {
    var (digest, count) = ([UInt8](repeating: 0, count: 64), 0)
    precondition(EVP_Q_digest(nil, name, nil, bytes, bytes.count, &digest, &count) == 1)
    return Array(digest.prefix(count))
}
