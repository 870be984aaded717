/// What bytes look like at first sight: all of them, or the first and the last ones.
struct ByteLook {
    /// The bytes that were looked at. In long contents, something is missing in their middle.
    let bytes: [UInt8]
    /// How many there are in all.
    let byteCount: Int
    /// Whether all of it may be text in UTF-8 or another extension of ASCII.
    let isText: Bool
    /// Where the text is, without the white space before and behind it.
    let inner: Range<Int>
    /// Whether that has no newline.
    let isOneLine: Bool
    /// Whether each byte occurs.
    private let occurs: [Bool]

    init(_ contents: Contents) {
        bytes = contents.excerpt
        byteCount = contents.byteCount
        var occurs = [Bool](repeating: false, count: 256)
        for byte in bytes { occurs[Int(byte)] = true }
        self.occurs = occurs
        isText = !bytes.isEmpty && !Self.controls.contains { occurs[$0] }
        inner = Self.withoutMargins(bytes)
        let newline = UInt8(ascii: "\n")
        isOneLine = !occurs[Int(newline)] || !bytes[inner].contains(newline)
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

    /// Whether no byte is missing.
    var isWhole: Bool { bytes.count == byteCount }

    var isASCII: Bool { !occurs[0x80...].contains(true) }

    /// The text without white space before and behind it.
    var text: ArraySlice<UInt8> { bytes[inner] }

    func has(_ character: Character) -> Bool {
        guard let value = character.asciiValue else { return false }
        return occurs[Int(value)]
    }

    /// Whether there are no other bytes than these.
    func hasOnly(_ allowed: ByteSet) -> Bool {
        isText && !(0...255).contains { occurs[$0] && !allowed.contains(UInt8($0)) }
    }

    /// Whether the text begins with one of these characters.
    func begins(withOneOf characters: String) -> Bool {
        isText && text.first.map(characters.utf8.contains) == true
    }

    // MARK: Sites

    /// One site with all of the bytes, if there is one.
    func all(if applies: Bool) -> [Alteration.Site] { part(bytes.indices, if: applies) }

    /// One site with a part of the bytes, if there is one.
    func part(_ part: Range<Int>, if applies: Bool) -> [Alteration.Site] {
        applies && !part.isEmpty ? [Alteration.Site(part: part)] : []
    }
}
