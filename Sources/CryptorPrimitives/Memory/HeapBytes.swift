/// Bytes on the heap, written once and then given away without a copy.
package struct HeapBytes: ~Copyable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    /// What `body` writes, at most `capacity` bytes.
    package init<Failure: Error>(
        capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        // `malloc`, since whoever gets the bytes frees them with `free`.
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

    /// The bytes, for somebody else to `free`.
    package consuming func release() -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer(start: start, count: count)
        discard self
        return memory
    }
}
