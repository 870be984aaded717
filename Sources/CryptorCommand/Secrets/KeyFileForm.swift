import CryptorFiles

/// How other programs write two keys, which is not as a key file has them.
enum KeyFileForm: String, CaseIterable {
    case base64 = "base64"
    case bytes = "64 bytes"
    case prefixed = "hexadecimal digits after '0x'"

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
            // A newline may have been their end, which is not read.
            let isText = text.allSatisfy { 32..<127 ~= $0 }
            return !isText && (Self.keyByteCount - 2...Self.keyByteCount).contains(text.count)
        case .prefixed:
            let start = text.prefix(2)
            return (start.elementsEqual("0x".utf8) || start.elementsEqual("0X".utf8))
                && (try? MessageKeys(hexadecimal: text.dropFirst(2))) != nil
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
        }
    }

    var hint: String {
        let command =
            switch self {
            case .base64: "base64 -d FILE | od -An -v -tx1 > KEYFILE"
            case .bytes: "od -An -v -tx1 FILE > KEYFILE"
            case .prefixed: "sed s/0[xX]// FILE > KEYFILE"
            }
        return "If the encryption key comes first, 'umask 077; \(command)' makes a key file of it."
    }
}
