/// How a password is encoded that is not plain UTF-8. It is used as it is, but a program that takes
/// passwords as text never has these bytes.
enum PasswordEncoding {
    case byteOrderMark
    /// By its name for `iconv`.
    case utf16(String)
    case unknown

    /// Nil if it is UTF-8 without a byte order mark.
    static func found(in password: [UInt8]) -> PasswordEncoding? {
        if password.starts(with: [0xEF, 0xBB, 0xBF]) { return .byteOrderMark }
        if password.starts(with: [0xFF, 0xFE]) || password.starts(with: [0xFE, 0xFF]) {
            return .utf16("utf-16")
        }
        if hasZeros(password, at: 1) { return .utf16("utf-16le") }
        if hasZeros(password, at: 0) { return .utf16("utf-16be") }
        return isUTF8(password) ? nil : .unknown
    }

    /// Whether every other byte is zero, from this one on, and no other is: so Latin text is in
    /// UTF-16.
    private static func hasZeros(_ password: [UInt8], at first: Int) -> Bool {
        password.count > 3
            && password.indices.allSatisfy { (password[$0] == 0) == ($0 % 2 == first) }
    }

    /// Without a copy, which nobody would cleanse.
    private static func isUTF8(_ password: [UInt8]) -> Bool {
        var parser = UTF8.ForwardParser()
        var rest = password.makeIterator()
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }

    var isUTF16: Bool { if case .utf16 = self { true } else { false } }

    var warning: String {
        let consequence =
            "Programs that take passwords as text cannot open what is encrypted under it."
        return switch self {
        case .byteOrderMark:
            """
            The password begins with a byte order mark. \(consequence) 'umask 077; tail -c +4 \
            FILE > NEWFILE' removes it.
            """
        case .utf16(let name):
            """
            The password is UTF-16. \(consequence) 'umask 077; iconv -f \(name) -t utf-8 FILE > \
            NEWFILE' converts it.
            """
        case .unknown:
            "The password is not UTF-8. \(consequence)"
        }
    }
}
