/// Asks the system for large pages where a result of many megabytes is about to be written. Small ones cost a fault each,
/// in all about as much as encryption itself.
///
/// Memory of 32 MiB and more is a mapping of its own with the allocators we know, so no other allocation is touched.
@usableFromInline
package func preferLargePages(for memory: UnsafeMutableRawBufferPointer) {
    let minimumByteCount = 32 << 20
    let page = 2 << 20
    guard let advice = Platform.largePages, let start = memory.baseAddress, memory.count >= minimumByteCount else {
        return
    }
    let first = (Int(bitPattern: start) + page - 1) & -page
    let end = (Int(bitPattern: start) + memory.count) & -page
    // Advice: where the system does not take it, all is as before.
    _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, advice)
}
