import CryptorFiles

/// How other programs write keys, which is not as a key file has them.
enum KeyFileForm: CaseIterable {
    case base64, bytes, prefixed, marked, utf16, utf16HighByteFirst
    /// Half of the bytes or digits: two keys of 16 bytes, or one key.
    case halfOfBytes, halfOfDigits

    private static let keyByteCount = 64

    /// Nil if these are no keys in any form.
    /// - Parameter text: what is in the file, which has been taken for a key file in vain.
    init?(of text: [UInt8]) {
        guard let form = Self.allCases.first(where: { $0.matches(text) }) else { return nil }
        self = form
    }

    private func matches(_ text: [UInt8]) -> Bool {
        switch self {
        case .bytes:
            return Self.isBytes(text, Self.keyByteCount)
        case .prefixed:
            let start = text.prefix(2)
            return (start.elementsEqual("0x".utf8) || start.elementsEqual("0X".utf8))
                && Self.areKeys(text.dropFirst(2))
        case .base64:
            // Growing would leave copies of the keys behind.
            var keys: [UInt8] = []
            keys.reserveCapacity(text.count + 3)
            defer { keys.cleanse() }
            var decoder = Base64Decoder()
            do throws(Base64Decoder.Failure) {
                try decoder.decode(text, into: &keys)
                try decoder.finish(into: &keys)
            } catch {
                return false
            }
            return keys.count == Self.keyByteCount
        case .marked:
            return text.starts(with: [0xEF, 0xBB, 0xBF]) && Self.areKeys(text.dropFirst(3))
        case .utf16:
            let marked = text.starts(with: [0xFE, 0xFF]) ? 1 : 0
            return Self.areKeys(inUTF16: text, lowByte: marked)
        case .utf16HighByteFirst:
            return Self.areKeys(inUTF16: text, lowByte: 1)
        case .halfOfBytes:
            return Self.isBytes(text, Self.keyByteCount / 2)
        case .halfOfDigits:
            let digits = Self.withoutSpaces(text)
            return digits.count == Self.keyByteCount
                && digits.allSatisfy { $0.hexadecimalValue != nil }
        }
    }

    private static func areKeys(_ digits: some Collection<UInt8>) -> Bool {
        (try? MessageKeys(hexadecimal: digits)) != nil
    }

    /// Lazy, because nothing cleanses copies.
    private static func withoutSpaces(_ text: [UInt8]) -> some Collection<UInt8> {
        text.lazy.filter { !" \t\r\n".utf8.contains($0) }
    }

    private static func isBytes(_ text: [UInt8], _ byteCount: Int) -> Bool {
        // A newline may have been their end, which is not read.
        let isText = text.allSatisfy { 32..<127 ~= $0 }
        return !isText && (byteCount - 2...byteCount).contains(text.count)
    }

    /// - Parameter lowByte: which byte of two has the digit. The other is zero, but in the mark.
    private static func areKeys(inUTF16 text: [UInt8], lowByte: Int) -> Bool {
        let isMarked = text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF])
        let text = text.dropFirst(isMarked ? 2 : 0)
        let (low, high) = (
            text.indices.lazy.filter { $0 % 2 == lowByte },
            text.indices.lazy.filter { $0 % 2 != lowByte }
        )
        return high.allSatisfy { text[$0] == 0 } && areKeys(low.lazy.map { text[$0] })
    }

    /// What is in the file.
    var sentence: String {
        switch self {
        case .base64: Self.twoKeys("as base64")
        case .bytes: Self.twoKeys("as 64 bytes")
        case .prefixed: Self.twoKeys("as hexadecimal digits after '0x'")
        case .marked: Self.twoKeys("after a byte order mark")
        case .utf16, .utf16HighByteFirst: Self.twoKeys("as UTF-16 text")
        case .halfOfBytes: "It has 32 bytes, but a key file has 128 hexadecimal digits."
        case .halfOfDigits: "It has 64 hexadecimal digits, but a key file has 128."
        }
    }

    private static func twoKeys(_ form: String) -> String {
        "It has two keys \(form), but a key file has 128 hexadecimal digits."
    }

    var hint: String {
        switch self {
        case .base64: Self.ifEncryptionKeyIsFirst("base64 -d FILE | od -An -v -tx1 > KEYFILE")
        case .bytes: Self.ifEncryptionKeyIsFirst("od -An -v -tx1 FILE > KEYFILE")
        case .prefixed: Self.ifEncryptionKeyIsFirst("sed s/0[xX]// FILE > KEYFILE")
        case .marked: Self.making("tail -c +4 FILE > KEYFILE")
        case .utf16: Self.making("iconv -f utf-16 -t utf-8 FILE > KEYFILE")
        case .utf16HighByteFirst: Self.making("iconv -f utf-16be -t utf-8 FILE > KEYFILE")
        case .halfOfBytes, .halfOfDigits: Self.halves
        }
    }

    private static func ifEncryptionKeyIsFirst(_ command: String) -> String {
        "If the encryption key comes first, \(making(command))"
    }

    private static func making(_ command: String) -> String {
        "'umask 077; \(command)' makes a key file of it."
    }

    private static let halves = """
        If it is one key of 32 bytes, the second one is missing. If it is two keys of 16 bytes, \
        they are for AES-128, which is not read: diagnose tries them.
        """

    /// Half a key file as two keys of 16 bytes, which a message may have that was encrypted with
    /// AES-128; nil if it is none. The HMAC is the same with zeros behind its key.
    static func halves(of text: [UInt8]) -> MessageKeys? {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * keyByteCount)
        defer { digits.cleanse() }
        switch KeyFileForm(of: text) {
        case .halfOfDigits: digits += withoutSpaces(text)
        case .halfOfBytes: for byte in text { digits += byte.hexadecimal.utf8 }
        default: return nil
        }
        guard digits.count == keyByteCount else { return nil }
        let zeros = repeatElement(UInt8(ascii: "0"), count: keyByteCount / 2)
        digits.insert(contentsOf: zeros, at: keyByteCount / 2)
        digits += zeros
        return try? MessageKeys(hexadecimal: digits)
    }
}
