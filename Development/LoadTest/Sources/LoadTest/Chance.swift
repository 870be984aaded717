/// Random numbers that a seed repeats (SplitMix64).
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter path: says what the random numbers are for. Each load of each round has its own
    ///   path.
    init(_ seed: UInt64, _ path: Int...) {
        state = seed
        for part in path { state = next() ^ UInt64(truncatingIfNeeded: part) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func isTrue(onceIn number: Int) -> Bool { self.number(1...number) == 1 }
}
