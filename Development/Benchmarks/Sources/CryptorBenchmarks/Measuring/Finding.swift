/// The result of a benchmark.
struct Finding {
    enum Outcome {
        case race(RaceFinding)
        /// Other numbers than times, such as bytes of memory.
        case amounts([Amount])
        case skipped(String)
    }

    let benchmark: Benchmark
    let outcome: Outcome
}

struct RaceFinding {
    struct Entry {
        let name: String
        let samples: [Sample]
        var wall: Distribution { Distribution(samples.map(\.wall)) }
        var processor: Distribution { Distribution(samples.map(\.processor)) }
    }

    let unit: Unit
    /// Ours, and the limits.
    let entries: [Entry]
    /// The time of the limit that counts, which is the fastest, divided by ours, for each round:
    /// above 1, ours is faster.
    let ratios: Distribution

    var ours: Entry { entries[0] }
    var limits: ArraySlice<Entry> { entries.dropFirst() }

    /// - Parameter samples: those of ours and of each limit, one for each round.
    init(_ race: Race, samples: [[Sample]]) {
        unit = race.unit
        entries = zip([race.ours] + race.limits, samples).map { contender, samples in
            Entry(name: contender.name, samples: samples)
        }
        let limit = entries.dropFirst().min { $0.wall.median < $1.wall.median } ?? entries[0]
        ratios = Distribution(zip(limit.samples, entries[0].samples).map { $0.wall / $1.wall })
    }
}

/// The time of one run, divided by the number of its messages.
struct Sample {
    /// Seconds on the clock.
    let wall: Double
    /// Seconds of processor time, of this process's threads and of the programs that it waited for.
    let processor: Double
}

/// The figures of several rounds.
struct Distribution {
    /// Sorted; never empty.
    private let values: [Double]

    init(_ values: [Double]) {
        precondition(!values.isEmpty)
        self.values = values.sorted()
    }

    var median: Double { quantile(0.5) }
    /// A quarter of the figures are lower.
    var lowerQuartile: Double { quantile(0.25) }
    /// A quarter of the figures are higher.
    var upperQuartile: Double { quantile(0.75) }

    private func quantile(_ part: Double) -> Double {
        let position = part * Double(values.count - 1)
        let index = Int(position)
        let next = min(index + 1, values.count - 1)
        return values[index] + (values[next] - values[index]) * (position - Double(index))
    }
}
