import CryptorFormat

/// The text form of a key pair: 128 hexadecimal digits, encryption key then HMAC key; white space does not count.
enum KeyFile {
    /// - Parameter file: the file that the text is from, for the error.
    static func credential(_ text: [UInt8], _ file: FileEndpoint) throws(CommandError) -> Credential {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        defer { cleanse(&digits) }
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte - UInt8(ascii: "A") + 10)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            default:
                throw CommandError(.malformed, "\(file): It is not a key file: it holds more than hexadecimal digits.")
            }
        }
        let keyByteCount = KeyPair.keyByteCount
        guard digits.count == 4 * keyByteCount else {
            throw CommandError(
                .malformed,
                "\(file): It is not a key file: it has \(digits.count) hexadecimal digits, and two keys have "
                    + "\(4 * keyByteCount).")
        }
        var bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        defer { cleanse(&bytes) }
        do throws(CryptorError) {
            return .keys(
                try KeyPair(encryptionKey: bytes.prefix(keyByteCount), hmacKey: bytes.suffix(keyByteCount)))
        } catch {
            throw CommandError(error)
        }
    }

    /// The text of a key pair, with a newline. The caller cleanses it.
    static func text(_ keys: KeyPair) -> [UInt8] {
        var (encryptionKey, hmacKey) = keys.copyKeys()
        defer {
            cleanse(&encryptionKey)
            cleanse(&hmacKey)
        }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(4 * KeyPair.keyByteCount + 1)
        for byte in encryptionKey { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        for byte in hmacKey { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        text.append(UInt8(ascii: "\n"))
        return text
    }
}
