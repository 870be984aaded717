/// Bytes on the heap, written once and then given away without a copy.
package struct HeapBytes: ~Copyable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    /// Holds what `body` writes, at most `capacity` bytes.
    package init<Failure: Error>(
        capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        // The memory comes from `malloc`, since the new owner of the bytes calls `free`.
        guard let start = malloc(max(1, capacity)) else { fatalError("out of memory: \(capacity) bytes") }
        let memory = UnsafeMutableRawBufferPointer(start: start, count: capacity)
        preferLargePages(for: memory)
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        do throws(Failure) {
            try body(&output)
        } catch {
            free(start)
            throw error
        }
        self.start = start
        self.count = output.byteCount
    }

    deinit { free(start) }

    /// Returns the bytes, which the caller must `free`.
    package consuming func release() -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer(start: start, count: count)
        discard self
        return memory
    }
}
