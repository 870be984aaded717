import CryptorPrimitives
import Foundation

/// Appends to `bytes` what `body` writes into a span with room for exactly `byteCount` bytes; traps
/// if it wrote beyond.
package func withRoom<Failure: Error>(
    for byteCount: Int, appendingTo bytes: inout [UInt8],
    _ body: (inout OutputRawSpan) throws(Failure) -> Void
) throws(Failure) {
    let guardByteCount = 64
    let canary: UInt8 = 0xA5
    let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: byteCount + guardByteCount, alignment: 16)
    defer { memory.deallocate() }
    memory[byteCount...].initializeMemory(as: UInt8.self, repeating: canary)
    let room = UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
    var output = OutputRawSpan(buffer: room, initializedCount: 0)
    defer {
        bytes.append(contentsOf: output.bytes)
        precondition(
            memory[byteCount...].allSatisfy { $0 == canary },
            "written beyond the room of \(byteCount) bytes")
    }
    try body(&output)
}

/// The same with a chunk to read.
// Not with its span: Swift 6.2 cannot infer the lifetimes of a function type with two values that
// do not escape.
package func withRoom<Failure: Error>(
    for byteCount: Int, appendingTo bytes: inout [UInt8], reading chunk: some Collection<UInt8>,
    _ body: ([UInt8], inout OutputRawSpan) throws(Failure) -> Void
) throws(Failure) {
    let chunk = Array(chunk)
    try withRoom(for: byteCount, appendingTo: &bytes) { (output) throws(Failure) in
        try body(chunk, &output)
    }
}

/// Whether the bytes are the same, at the speed of `memcmp`: debug builds compare arrays a hundred
/// times slower.
package func sameBytes(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    withRawSpan(of: left) { left in withRawSpan(of: right) { right in sameBytes(left, right) } }
}

package func sameBytes(_ left: RawSpan, _ right: RawSpan) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    guard left.byteCount > 0 else { return true }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            guard let left = left.baseAddress, let other = right.baseAddress else { return false }
            return memcmp(left, other, right.count) == 0
        }
    }
}

/// Says in words where bytes differ from the expected ones; nil if they do not. The text is short,
/// even for megabytes.
package func firstDifference(_ found: some Collection<UInt8>, _ expected: some Collection<UInt8>)
    -> String?
{
    if sameBytes(found, expected) { return nil }
    let offset =
        zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
        ?? min(found.count, expected.count)
    return "\(found.count) bytes and not \(expected.count), different from byte \(offset) on"
}
