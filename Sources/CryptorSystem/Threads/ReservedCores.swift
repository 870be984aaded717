/// The cores for a part of large work, which are released with this value.
package struct ReservedCores: ~Copyable {
    private let count: Int
    init(_ count: Int) { self.count = count }
    deinit { if count > 0 { Cores.release(count) } }

    /// Whether a second thread may help.
    package var includeSecond: Bool { count == 2 }
}
