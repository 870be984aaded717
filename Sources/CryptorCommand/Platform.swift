// The system, as the command needs it.
@_exported import CCryptorProcess
import CryptorFiles

/// memchr(3), in a part of `bytes`.
func firstIndex(of byte: UInt8, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    unsafe bytes[range].withUnsafeBytes { part in
        guard let start = part.baseAddress, let hit = unsafe memchr(start, Int32(byte), part.count)
        else { return nil }
        return range.lowerBound + (unsafe UnsafeRawPointer(hit) - start)
    }
}

/// Eight bytes as a number, in the order of this machine.
func word(in bytes: [UInt8], at index: Int) -> UInt64 {
    precondition(index + 8 <= bytes.count)
    return unsafe bytes.withUnsafeBytes { bytes in
        unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }
}

/// Appends two digits for each byte: all at once, as by itself each takes twice as long.
func appendHexadecimal(_ bytes: [UInt8], to output: inout [UInt8]) {
    func digit(_ value: UInt8) -> UInt8 {
        value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
    var next = output.count
    output.append(contentsOf: repeatElement(0, count: 2 * bytes.count))
    unsafe output.withUnsafeMutableBufferPointer { output in
        // An array's own `mutableSpan` needs macOS 26.
        var digits = unsafe output.mutableSpan
        for byte in bytes {
            digits[next] = digit(byte >> 4)
            digits[next &+ 1] = digit(byte & 0xF)
            next &+= 2
        }
    }
}

/// The columns of a terminal, at least 30; nil for anything else.
func terminalColumns(_ descriptor: Int32) -> Int? {
    let count = Int(cprocess_terminal_columns(descriptor))
    return count > 0 ? max(30, count) : nil
}
