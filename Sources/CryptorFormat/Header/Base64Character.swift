/// The meaning of a character of base64 text: six bits, in the standard or in the URL alphabet (RFC
/// 4648, sections 4 and 5), or one of these.
enum Base64Character {
    static let space: UInt8 = 64
    static let lineBreak: UInt8 = 65
    static let padding: UInt8 = 66
    static let foreign: UInt8 = 67
    static let plus: UInt8 = 62

    static func meaning(of byte: UInt8) -> UInt8 { meanings[Int(byte)] }

    private static let meanings: [UInt8] = {
        var table = [UInt8](repeating: foreign, count: 256)
        for (value, byte) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
            .enumerated()
        {
            table[Int(byte)] = UInt8(value)
        }
        for byte in "+-".utf8 { table[Int(byte)] = plus }
        for byte in "/_".utf8 { table[Int(byte)] = 63 }
        for byte in "\r\n\t".utf8 { table[Int(byte)] = lineBreak }
        table[Int(UInt8(ascii: " "))] = space
        table[Int(UInt8(ascii: "="))] = padding
        return table
    }()
}
