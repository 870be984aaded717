/// Megabytes of random bytes. They are made only once in a process, because debug builds take long
/// to make them.
package enum LongBytes {
    package static let maximumByteCount = 6 << 20

    private static let bytes: [UInt8] = {
        var generator = SeededGenerator()
        return [UInt8](unsafeUninitializedCapacity: maximumByteCount) { buffer, count in
            buffer.withMemoryRebound(to: UInt64.self) { words in
                for index in words.indices {
                    words.initializeElement(at: index, to: generator.next())
                }
            }
            count = maximumByteCount
        }
    }()

    /// Returns the same bytes each time. They depend on the seed: see
    /// `SeededGenerator.processSeed`.
    package static func bytes(_ count: Int, from offset: Int = 0) -> [UInt8] {
        Array(bytes[offset..<offset + count])
    }
}
