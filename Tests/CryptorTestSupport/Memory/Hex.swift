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
        let digits = Array<UInt8>(text.utf8)
        guard digits.count % 2 == 0 else { throw VectorError("not hex: \(text)") }
        self = []
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else {
                throw VectorError("not hex: \(text)")
            }
            append(high << 4 | low)
        }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
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
