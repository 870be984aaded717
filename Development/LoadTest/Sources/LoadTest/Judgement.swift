/// Whether anything grew from the first quarter of the rounds to the last.
struct Judgement {
    /// The first rounds allocate what is kept for good: contexts under keys, malloc's arenas,
    /// Swift's pool.
    static let warmUpCount = 2
    /// Enough rounds for quarters, and for a million key messages.
    static let minimumCount = warmUpCount + 8

    /// Resident memory also depends on how malloc's pages happen to be filled.
    static let memoryTolerance = 8 << 20
    /// Memory that threads keep for their next call counts as in use.
    static let heapTolerance = 1 << 20
    /// Threads of Swift's pool come and go.
    static let threadTolerance = 2

    private(set) var usages: [Usage] = []

    mutating func add(_ usage: Usage) { usages.append(usage) }

    /// How many threads there may be between rounds; nil until the first rounds are over.
    var threadLimit: Int? {
        guard usages.count >= Self.warmUpCount,
            let usual = usages.prefix(Self.warmUpCount).map(\.threads).max()
        else { return nil }
        return usual + Self.threadTolerance
    }

    func note(in findings: Findings) {
        let rounds = usages.dropFirst(Self.warmUpCount)
        let quarter = max(1, rounds.count / 4)
        func compare(
            _ name: String, _ tolerance: Int, _ show: (Int) -> String, _ value: (Usage) -> Int
        ) {
            let first = Self.median(rounds.prefix(quarter).map(value))
            let last = Self.median(rounds.suffix(quarter).map(value))
            print(
                "  \(name): \(show(first)), at the end \(show(last)) (tolerance \(show(tolerance)))"
            )
            if last > first + tolerance {
                findings.note("\(name) grew from \(show(first)) to \(show(last))")
            }
        }
        print(
            """
            At rest between rounds, \
            medians of the first and of the last \(quarter) of \(rounds.count):
            """
        )
        let series = usages.map { "\($0.memory >> 10)/\($0.heap >> 10)" }.joined(separator: " ")
        print("  KiB resident/in use, round by round: \(series)")
        compare("resident memory", Self.memoryTolerance, \.megabytes, \.memory)
        compare("memory in use", Self.heapTolerance, \.megabytes, \.heap)
        compare("descriptors", 0, \.description, \.descriptors)
        compare("threads", Self.threadTolerance, \.description, \.threads)
    }

    private static func median(_ numbers: [Int]) -> Int { numbers.sorted()[numbers.count / 2] }
}
