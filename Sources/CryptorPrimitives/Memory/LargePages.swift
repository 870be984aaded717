/// Asks the system for large pages before a result of many megabytes is written. Small pages cost a fault each,
/// together about as much as the encryption itself.
///
/// The common allocators map 32 MiB and more separately, so the advice affects no other allocation.
@usableFromInline
package func preferLargePages(for memory: UnsafeMutableRawBufferPointer) {
    let minimumByteCount = 32 << 20
    let page = 2 << 20
    guard let advice = Platform.largePages, let start = memory.baseAddress, memory.count >= minimumByteCount else {
        return
    }
    let first = (Int(bitPattern: start) + page - 1) & -page
    let end = (Int(bitPattern: start) + memory.count) & -page
    // This is only advice: if the system refuses it, nothing changes.
    _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, advice)
}
