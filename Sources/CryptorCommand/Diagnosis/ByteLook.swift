import CryptorFiles

/// What bytes look like at first sight.
struct ByteLook {
    /// Whether all of it may be text in UTF-8 or another extension of ASCII.
    let isText: Bool
    /// Where the text is, without the white space before and behind it.
    let inner: Range<Int>
    /// Whether each byte occurs, as far as it was looked at: to the end if it is text.
    private let occurs: [Bool]

    init(_ bytes: [UInt8]) throws(CryptorError) {
        var isText = !bytes.isEmpty
        var occurs = [Bool](repeating: false, count: 256)
        try Interruption.pieces(of: bytes.indices) { piece in
            guard isText else { return }
            for index in piece { occurs[Int(bytes[index])] = true }
            isText = !Self.controls.contains { occurs[$0] }
        }
        self.isText = isText
        self.occurs = occurs
        inner = Self.withoutMargins(bytes)
    }

    /// Which bytes are in no text.
    private static let controls = (0..<32).filter { !isSpace(UInt8($0)) } + [127]

    static func isSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    static func withoutMargins(_ bytes: [UInt8]) -> Range<Int> {
        let start = bytes.firstIndex { !isSpace($0) } ?? bytes.count
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return start..<end
    }

    func has(_ character: Character) -> Bool {
        guard let value = character.asciiValue else { return false }
        return occurs[Int(value)]
    }

    /// Whether there are no other bytes than these.
    func hasOnly(_ allowed: ByteSet) -> Bool {
        isText && !(0...255).contains { occurs[$0] && !allowed.contains(UInt8($0)) }
    }
}
