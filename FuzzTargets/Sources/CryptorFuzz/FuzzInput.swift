/// The fuzzer's bytes: choices from the start, and the rest is what is tested.
struct FuzzInput {
    /// libFuzzer calls a C function, which can capture nothing; it has one thread.
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

    /// Up to so many bytes.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    /// A number of chunk sizes and as many sizes, to be repeated over what follows. Seeds have a zero there: all at once.
    mutating func chunkSizes() -> ChunkSizes {
        let count = Int(next() & 15)
        return ChunkSizes(sizes: take(count).map { $0 < 128 ? Int($0) : (Int($0) - 127) * 113 })
    }

    consuming func rest() -> [UInt8] {
        Array(bytes)
    }
}

extension [UInt8] {
    /// These bytes again and again, at least so many: more than the fuzzer gives at a time. Of none, none.
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
