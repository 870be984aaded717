/// Megabytes of random bytes, made once a process: debug builds take long for each.
package enum LongBytes {
    package static let maximumByteCount = 6 << 20

    private static let bytes: [UInt8] = {
        var generator = SeededGenerator()
        return [UInt8](unsafeUninitializedCapacity: maximumByteCount) { buffer, count in
            buffer.withMemoryRebound(to: UInt64.self) { words in
                for index in words.indices { words.initializeElement(at: index, to: generator.next()) }
            }
            count = maximumByteCount
        }
    }()

    /// The same bytes each time. They are the seed's: see `SeededGenerator.processSeed`.
    package static func bytes(_ count: Int, from offset: Int = 0) -> [UInt8] {
        Array(bytes[offset..<offset + count])
    }
}
