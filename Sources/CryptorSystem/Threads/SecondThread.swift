/// Asks for a second thread for one message or file, chunk by chunk. Small work never gets one, and
/// is not counted.
package struct SecondThread: Sendable {
    /// The length from which work is large. Waking a thread earlier costs more than it saves.
    package static let firstByteCount = 256 * 1024
    private var byteCount = 0

    package init() {}

    /// - Parameter count: the length of the next chunk.
    /// - Returns: the cores for the work on that chunk, until the value is gone.
    package mutating func reserveCores(forNext count: Int) -> ReservedCores {
        if byteCount < Self.firstByteCount { byteCount += min(count, Self.firstByteCount) }
        return ReservedCores(byteCount < Self.firstByteCount ? 0 : Cores.reserve())
    }
}
