import CSupport

/// Measures one benchmark after the other.
struct Runner {
    let setting: Setting

    func finding(for benchmark: Benchmark) throws(BenchmarkError) -> Finding {
        do throws(BenchmarkError) {
            return Finding(benchmark: benchmark, outcome: try outcome(of: benchmark))
        } catch {
            switch error {
            case .skipped(let reason): return Finding(benchmark: benchmark, outcome: .skipped(reason))
            case .wrong(let words): throw .wrong("\(benchmark.name): \(words)")
            case .failed(let words): throw .failed("\(benchmark.name): \(words)")
            case .usage, .interrupted: throw error
            }
        }
    }

    private func outcome(of benchmark: Benchmark) throws(BenchmarkError) -> Finding.Outcome {
        switch benchmark.work {
        case .race(let rounds, let makeRace):
            let race = try makeRace(setting)
            return .race(RaceFinding(race, samples: try samples(of: race, rounds: rounds)))
        case .amounts(let makeAmounts):
            return .amounts(try makeAmounts(setting))
        }
    }

    /// The samples of each contender, one for each round. Every round changes the order; the first only warms up.
    func samples(of race: Race, rounds: Int) throws(BenchmarkError) -> [[Sample]] {
        let contenders = race.contenders
        var samples = [[Sample]](repeating: [], count: contenders.count)
        for round in 0...rounds {
            let order = Array(contenders.indices)
            for index in round.isMultiple(of: 2) ? order : order.reversed() {
                let sample = try sample(of: contenders[index])
                if round > 0 { samples[index].append(sample) }
            }
        }
        return samples
    }

    private func sample(of contender: Contender) throws(BenchmarkError) -> Sample {
        try Interruption.check()
        try contender.prepare()
        let processor = support_processor_seconds()
        let start = ContinuousClock.now
        try contender.run()
        let wall = start.duration(to: .now)
        let processorEnd = support_processor_seconds()
        try Interruption.check()
        try contender.check()
        let messages = Double(contender.messages)
        return Sample(wall: wall / .seconds(1) / messages, processor: (processorEnd - processor) / messages)
    }
}
