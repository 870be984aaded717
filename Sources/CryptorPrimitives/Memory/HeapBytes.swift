/// Returns memory on the heap with what `body` writes, at most `capacity` bytes. The caller must `free` it.
package func heapBytes<Failure: Error>(
    capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
) throws(Failure) -> UnsafeMutableRawBufferPointer {
    guard let start = malloc(max(1, capacity)) else { fatalError("out of memory: \(capacity) bytes") }
    let memory = UnsafeMutableRawBufferPointer(start: start, count: capacity)
    preferLargePages(for: memory)
    var output = OutputRawSpan(buffer: memory, initializedCount: 0)
    do throws(Failure) { try body(&output) } catch {
        free(start)
        throw error
    }
    return UnsafeMutableRawBufferPointer(start: start, count: output.byteCount)
}
