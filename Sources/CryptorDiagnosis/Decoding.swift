import CryptorFiles
import CryptorPrimitives

/// What becomes of the next piece of encoded bytes, of which the last is marked; nil if they are
/// not encoded like this. It keeps what the piece ends in the middle of, so the pieces may be of
/// any length, and all bytes may be one.
typealias Decoder = (_ piece: [UInt8], _ isLast: Bool) -> [UInt8]?

/// Makes decoders, each for the pieces of one text.
enum Decoding {
    /// A decoder of text in which some bytes begin items of up to `longest` bytes. All others stand
    /// for themselves.
    /// - Parameter decode: takes one item off the bytes, of which more may follow, and appends what
    ///   it stands for; returns false if there is none.
    private static func items(
        of starts: ByteSet, upTo longest: Int,
        _ decode: @escaping (_ text: inout ArraySlice<UInt8>, _ bytes: inout [UInt8]) -> Bool
    ) -> Decoder {
        var rest: [UInt8] = []
        return { piece, isLast in
            var text = rest.isEmpty ? piece[...] : (rest + piece)[...]
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count)
            while true {
                let plain = text.prefix { !starts.contains($0) }
                bytes += plain
                text = text[plain.endIndex...]
                guard text.count >= (isLast ? 1 : longest) else { break }
                guard decode(&text, &bytes) else { return nil }
            }
            rest = Array(text)
            return bytes
        }
    }

    /// A decoder that keeps some of the bytes.
    static func filter(_ makeFilter: () -> (UInt8) -> Bool) -> Decoder {
        let isKept = makeFilter()
        return { piece, _ in piece.filter(isKept) }
    }

    // MARK: Text

    static func base64() -> Decoder {
        base64 { decoder, bytes in
            do throws(Base64Decoder.Failure) { try decoder.finish(into: &bytes) } catch {
                return false
            }
            return true
        }
    }

    /// For text that has one character more than base64 text may have, which is left out.
    static func base64WithoutLastCharacter() -> Decoder {
        base64 { decoder, bytes in
            do throws(Base64Decoder.Failure) { try decoder.finish(into: &bytes) } catch {
                return error.characterCount != nil
            }
            return false
        }
    }

    private static func base64(
        finish: @escaping (inout Base64Decoder, inout [UInt8]) -> Bool
    ) -> Decoder {
        var decoder = Base64Decoder()
        return { text, isLast in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 4 * 3 + 3)
            do throws(Base64Decoder.Failure) {
                try decoder.decode(text, into: &bytes)
            } catch {
                cleanse(&bytes)
                return nil
            }
            if isLast, !finish(&decoder, &bytes) {
                cleanse(&bytes)
                return nil
            }
            return bytes
        }
    }

    /// Base64 text that begins anew after each padding.
    static func base64Pieces() -> Decoder {
        let padding = UInt8(ascii: "=")
        var decode = base64()
        var isPadded = false
        /// Of this piece, with its padding.
        var characterCount = 0
        return { text, isLast in
            var bytes: [UInt8] = []
            var rest = text[...]
            while !rest.isEmpty {
                let part = rest.prefix { byte in
                    isPadded
                        ? byte == padding || ByteLook.isSpace(byte) : byte != padding
                }
                rest = rest[part.endIndex...]
                characterCount += part.count { !ByteLook.isSpace($0) }
                // Behind padding, this piece ends with the next character.
                guard let decoded = decode(Array(part), isPadded && !rest.isEmpty) else {
                    return nil
                }
                bytes += decoded
                if rest.isEmpty { break }
                if isPadded {
                    guard characterCount.isMultiple(of: 4) else { return nil }
                    characterCount = 0
                    decode = base64()
                }
                isPadded.toggle()
            }
            guard isLast else { return bytes }
            return decode([], true).map { bytes + $0 }
        }
    }

    /// Whether spaces in base64 text stand for plus signs; nil if it is none.
    static func hasSpacesForPlusSigns(_ text: [UInt8], isWhole: Bool) -> Bool? {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        do throws(Base64Decoder.Failure) {
            try decoder.decode(text, into: &bytes)
            if isWhole { try decoder.finish(into: &bytes) }
        } catch {
            guard error.characterCount != nil else { return nil }
        }
        return decoder.hasSpacesForPlusSigns
    }

    /// Text with the escapes of newlines, which are left out, and no others.
    static func withoutEscapedNewlines() -> Decoder {
        items(of: ByteSet("\\"), upTo: 2) { text, _ in
            text.removeFirst()
            return text.popFirst().map("nr".utf8.contains) == true
        }
    }

    /// What the value of a byte as a hexadecimal digit is; 16 or more for others.
    private static let digits = (UInt8.min...UInt8.max).map { $0.hexadecimalValue ?? 0xFF }

    /// Pairs of digits. What programs put before, between and behind them is left out, such as
    /// `0x`, `\x` and colons, and so is a last digit alone.
    static func hexadecimal() -> Decoder {
        let separators = ByteSet("\(ByteSet.spaces):-,;'<>{}\\")
        var (state, last): (UInt8?, UInt8) = (nil, 0)
        return { text, _ in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 2 + 1)
            var (high, previous) = (state, last)
            for character in text {
                let digit = digits[Int(character)]
                if digit < 16 {
                    guard previous != UInt8(ascii: "\\") else { return nil }
                    if let first = high { bytes.append(first << 4 | digit) }
                    high = high == nil ? digit : nil
                } else if character | 0x20 == UInt8(ascii: "x"), digits[Int(previous)] < 16 {
                    // The zero before it is no digit of a byte.
                    guard previous == UInt8(ascii: "0") else { return nil }
                    if high != nil {
                        high = nil
                    } else if let byte = bytes.popLast() {
                        high = byte >> 4
                    } else {
                        return nil
                    }
                } else if character | 0x20 == UInt8(ascii: "x") {
                    if previous != UInt8(ascii: "\\") {
                        // In a literal of SQL, a quote follows. No digit may, as after a backslash.
                        previous = UInt8(ascii: "\\")
                        continue
                    }
                } else if character == UInt8(ascii: "'"), previous == UInt8(ascii: "E") {
                    // Nor is the E of `E'\\x03'`.
                    high = nil
                } else if !separators.contains(character) {
                    return nil
                }
                previous = character
            }
            (state, last) = (high, previous)
            return bytes
        }
    }

    /// - Parameter plus: what a plus sign stands for.
    static func percents(plus: UInt8 = UInt8(ascii: "+")) -> Decoder {
        items(of: ByteSet("%+"), upTo: 3) { text, bytes in
            if text.popFirst() == UInt8(ascii: "+") {
                bytes.append(plus)
                return true
            }
            guard let value = takeDigits(2, of: &text) else { return false }
            bytes.append(UInt8(truncatingIfNeeded: value))
            return true
        }
    }

    /// Quoted-printable, as quoting programs write it.
    static func quotedPrintable() -> Decoder {
        items(of: ByteSet("="), upTo: 3) { text, bytes in
            text.removeFirst()
            if text.first == UInt8(ascii: "\r") { text.removeFirst() }
            if text.first == UInt8(ascii: "\n") {
                text.removeFirst()
                return true
            }
            guard let value = takeDigits(2, of: &text) else { return false }
            bytes.append(UInt8(truncatingIfNeeded: value))
            return true
        }
    }

    /// The escapes of bytes in source code (`\x03` or `\003`), as Python reads them: of others, the
    /// backslash stays.
    static func escapesOfBytes() -> Decoder {
        items(of: ByteSet("\\"), upTo: 4) { text, bytes in
            let backslash = text.removeFirst()
            guard let kind = text.popFirst() else {
                bytes.append(backslash)
                return true
            }
            if kind == UInt8(ascii: "x") {
                guard let value = takeDigits(2, of: &text) else { return false }
                bytes.append(UInt8(truncatingIfNeeded: value))
            } else if isOctal(kind) {
                let rest = text.prefix(2).prefix(while: isOctal)
                text = text[rest.endIndex...]
                let value = ([kind] + rest).reduce(0) { $0 << 3 | Int($1 & 7) }
                guard let byte = UInt8(exactly: value) else { return false }
                bytes.append(byte)
            } else if "nrtbf\\'\"".utf8.contains(kind) {
                bytes.append(unescaped(kind))
            } else {
                bytes += [backslash, kind]
            }
            return true
        }
    }

    /// The escapes of JSON.
    static func escapes() -> Decoder {
        items(of: ByteSet("\\"), upTo: 6) { text, bytes in
            let backslash = text.removeFirst()
            guard let kind = text.popFirst() else {
                bytes.append(backslash)
                return true
            }
            switch kind {
            case UInt8(ascii: "u"):
                guard let value = takeDigits(4, of: &text), let scalar = Unicode.Scalar(value)
                else { return false }
                bytes += UTF8.encode(scalar) ?? UTF8.EncodedScalar()
            default:
                guard "nrtbf\\/\"".utf8.contains(kind) else { return false }
                bytes.append(unescaped(kind))
            }
            return true
        }
    }

    private static func isOctal(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "7") ~= byte
    }

    /// The value of so many digits; nil if there are others among them.
    private static func takeDigits(_ count: Int, of text: inout ArraySlice<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = text.popFirst()?.hexadecimalValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// What the character after a backslash stands for.
    private static func unescaped(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        default: character
        }
    }

    /// ASCII in UTF-16: no text of a message has other characters. Half of a last one is left out.
    static func utf16(hasHighByteFirst: Bool) -> Decoder {
        var state = hasHighByteFirst
        return { text, _ in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 2 + 1)
            var isHigh = state
            for byte in text {
                if !isHigh { bytes.append(byte) } else if byte != 0 { return nil }
                isHigh.toggle()
            }
            state = isHigh
            return bytes
        }
    }

    // MARK: Bytes

    /// Latin-1 that was written as UTF-8.
    static func latin1AsUTF8() -> Decoder {
        var state: UInt8?
        return { text, isLast in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count)
            var lead = state
            for byte in text {
                if let first = lead {
                    guard byte & 0xC0 == 0x80 else { return nil }
                    bytes.append(first << 6 | byte & 0x3F)
                    lead = nil
                } else if byte < 0x80 {
                    bytes.append(byte)
                } else if byte & 0xFE == 0xC2 {
                    // These begin the characters from U+0080 to U+00FF.
                    lead = byte
                } else {
                    return nil
                }
            }
            state = lead
            return isLast && lead != nil ? nil : bytes
        }
    }

    /// Each LF has a CR before it, which is left out.
    static func carriageReturns() -> Decoder {
        items(of: ByteSet("\r\n"), upTo: 2) { text, bytes in
            let byte = text.removeFirst()
            let lineFeed = UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\r"), text.first == lineFeed {
                text.removeFirst()
                bytes.append(lineFeed)
                return true
            }
            bytes.append(byte)
            return byte != lineFeed
        }
    }
}
