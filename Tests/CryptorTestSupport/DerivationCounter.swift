import CCryptorProbe

/// Whether keys are derived. Pairs of keys are derived in memory that is cleansed afterwards, which
/// is noted. So 0 means that none was derived; other numbers are too high if OpenSSL cleansed
/// something of the same length.
package enum DerivationCounter {
    /// Whether it counts: elsewhere, it always says 0.
    package static var isAvailable: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    /// For how many messages keys were derived together in the lanes during `body`, on this thread:
    /// each time that they were eight or more, up to 16 times.
    package static func batches(during body: () throws -> Void) rethrows -> [Int] {
        #if os(Linux)
        var counts = [Int](repeating: 0, count: 16)
        _ = probe_take_batches(&counts)
        try body()
        let count = probe_take_batches(&counts)
        return Array(counts.prefix(count))
        #else
        try body()
        return []
        #endif
    }

    /// How many keys were derived in pairs during `body`, on this thread.
    package static func count(during body: () throws -> Void) rethrows -> Int {
        #if os(Linux)
        let before = probe_derived_keys()
        try body()
        return probe_derived_keys() - before
        #else
        try body()
        return 0
        #endif
    }
}
