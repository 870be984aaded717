/// How bytes are cut before a stream is fed with them.
package enum Chunking: Sendable, CustomStringConvertible {
    case whole
    case fixed(Int)
    /// Two chunks. The number is the length of the first in bytes.
    case split(Int)
    /// Chunks of 0 to `maximum` bytes.
    case random(SeededGenerator, maximum: Int)
    /// Chunks of one size, each between two empty ones.
    case padded(Int)

    /// The same ways of cutting for every vector, with sizes around every boundary of the format.
    package static let everySize =
        [.whole, .padded(16), .padded(5)]
        + [1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 1000].map { Chunking.fixed($0) }

    /// Every way to cut `byteCount` bytes in two, the empty halves included; of many bytes only the
    /// cuts near an end.
    package static func everySplit(of byteCount: Int) -> [Chunking] {
        (0...byteCount).filter { $0 <= 100 || byteCount - $0 <= 100 }.map { .split($0) }
    }

    package func chunks(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        switch self {
        case .whole:
            return [bytes[...]]
        case .fixed(let size):
            return stride(from: 0, to: bytes.count, by: size).map {
                bytes[$0..<min($0 + size, bytes.count)]
            }
        case .split(let offset):
            return [bytes[..<offset], bytes[offset...]]
        case .padded(let size):
            return [[]] + Chunking.fixed(size).chunks(of: bytes).flatMap { [$0, []] }
        case .random(var generator, let maximum):
            var chunks: [ArraySlice<UInt8>] = []
            var offset = 0
            while offset < bytes.count {
                let count = min(
                    Int.random(in: 0...maximum, using: &generator), bytes.count - offset)
                chunks.append(bytes[offset..<offset + count])
                offset += count
            }
            return chunks
        }
    }

    package var description: String {
        switch self {
        case .whole: "in one chunk"
        case .fixed(let size): "in chunks of \(size)"
        case .split(let offset): "split at \(offset)"
        case .random(let generator, let maximum):
            "in random chunks of up to \(maximum), \(generator)"
        case .padded(let size): "in chunks of \(size) between empty ones"
        }
    }
}

/// The two ways into a stream.
package enum StreamInterface: Sendable, CaseIterable {
    /// Collections in, an array out.
    case arrays
    /// A span in, a span with just enough room out.
    case spans
}
