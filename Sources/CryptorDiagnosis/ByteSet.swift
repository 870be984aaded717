/// Some of all bytes.
struct ByteSet: Sendable {
    private let isMember: [Bool]

    init(_ characters: String) {
        var isMember = [Bool](repeating: false, count: 256)
        for byte in characters.utf8 { isMember[Int(byte)] = true }
        self.isMember = isMember
    }

    func contains(_ byte: UInt8) -> Bool { isMember[Int(byte)] }

    static let spaces = " \t\r\n"
    static let hexadecimal = "0123456789abcdefABCDEF"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    static let base64 = ByteSet("\(letters)0123456789+/-_=\(spaces)")
    static let wordsOfBase64 = ByteSet("\(letters)0123456789+/-_=")
    /// The same, percent-encoded, and pairs of digits with colons between them.
    static let runsOfText = ByteSet("\(letters)0123456789+/-_=%:")
    static let base64WithEscapes = ByteSet("\(letters)0123456789+/-_=\\\(spaces)")
    static let numbers = ByteSet("0123456789-,\(spaces)")
    static let digits = ByteSet("\(hexadecimal)\(spaces)")
    /// Digits, with what programs put before, between and behind them.
    static let decoratedDigits = ByteSet("\(hexadecimal)\(spaces)\\xX'E<>:-,;{}=lengthbytes")
}
