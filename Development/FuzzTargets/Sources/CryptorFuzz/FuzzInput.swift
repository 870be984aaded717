/// The fuzzer's bytes: the first are choices, and the rest is under test.
struct FuzzInput {
    /// A variable, because libFuzzer calls a C function, which can capture nothing. It has one
    /// thread.
    nonisolated(unsafe) static var target: FuzzTarget?

    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// The next byte; 0 when there are no more.
    mutating func next() -> UInt8 {
        bytes.popFirst() ?? 0
    }

    /// The next bytes, at most `count`.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    /// The next 16 bytes, with zeros for those that are missing.
    mutating func iv() -> [UInt8] {
        let bytes = take(16)
        return bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
    }

    /// A number of chunk sizes and then the sizes, which repeat over what follows. Zero, as in most
    /// seeds: all at once.
    mutating func chunkSizes() -> ChunkSizes {
        let count = Int(next() & 15)
        return ChunkSizes(sizes: take(count).map { $0 < 128 ? Int($0) : (Int($0) - 127) * 113 })
    }

    consuming func rest() -> [UInt8] {
        Array(bytes)
    }
}

extension [UInt8] {
    /// These bytes again and again, at least `count` of them, which is more than the fuzzer gives;
    /// empty if there are none.
    func repeated(toAtLeast count: Int) -> [UInt8] {
        isEmpty ? [] : (0..<(count + self.count - 1) / self.count).flatMap { _ in self }
    }
}

/// Cuts bytes into chunks.
struct ChunkSizes {
    let sizes: [Int]

    func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        guard sizes.contains(where: { $0 > 0 }) else { return [bytes[...]] }
        var chunks: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let size = sizes[chunks.count % sizes.count]
            chunks.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return chunks
    }
}
