/// The result of a benchmark.
struct Finding {
    enum Outcome {
        case race(RaceFinding)
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
        let wall: Distribution
        let processor: Distribution

        init(name: String, samples: [Sample]) {
            self.name = name
            self.samples = samples
            wall = Distribution(samples.map(\.wall))
            processor = Distribution(samples.map(\.processor))
        }
    }

    let unit: Unit
    let ours: Entry
    let limits: [Entry]
    /// The limit that counts: the fastest.
    let limit: Entry
    /// The limit's time divided by ours, for each round: above 1, ours is faster.
    let ratios: Distribution

    /// - Parameter samples: those of ours and of each limit, one for each round.
    init(_ race: Race, samples: [[Sample]]) {
        let entries = zip(race.contenders, samples).map { contender, samples in
            Entry(name: contender.name, samples: samples)
        }
        let ours = entries[0]
        let limits = entries[1...].sorted { $0.wall.median < $1.wall.median }
        let limit = limits[0]
        unit = race.unit
        self.ours = ours
        self.limits = Array(entries[1...])
        self.limit = limit
        ratios = Distribution(zip(limit.samples, ours.samples).map { $0.wall / $1.wall })
    }

    func reaches(_ target: Double) -> Bool { ratios.median >= target }
}
