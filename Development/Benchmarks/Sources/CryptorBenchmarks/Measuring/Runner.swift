import Foundation

/// Measures a benchmark.
enum Runner {
    static func finding(for benchmark: Benchmark) throws -> Finding {
        do {
            return Finding(benchmark: benchmark, outcome: try benchmark.work())
        } catch BenchmarkError.skipped(let reason) {
            return Finding(benchmark: benchmark, outcome: .skipped(reason))
        } catch BenchmarkError.interrupted {
            throw BenchmarkError.interrupted
        } catch {
            throw BenchmarkError.failed("\(benchmark.name): \(error)")
        }
    }

    /// The samples of each contender, one for each round. Every round changes the order; the first
    /// only warms up.
    static func samples(of contenders: [Contender], rounds: Int) throws -> [[Sample]] {
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

    private static func sample(of contender: Contender) throws -> Sample {
        try Interruption.check()
        try contender.prepare()
        let processor = processorSeconds()
        let start = ContinuousClock.now
        try contender.run()
        let wall = start.duration(to: .now)
        let processorEnd = processorSeconds()
        try Interruption.check()
        try contender.check()
        let messages = Double(contender.messages)
        return Sample(
            wall: wall / .seconds(1) / messages, processor: (processorEnd - processor) / messages)
    }

    /// The processor time of this process's threads and of the programs that it waited for.
    private static func processorSeconds() -> Double {
        // RUSAGE_SELF and RUSAGE_CHILDREN, whose types differ by system.
        [CInt(0), -1].reduce(0) { sum, whose in
            var usage = rusage()
            getrusage(whose, &usage)
            return [usage.ru_utime, usage.ru_stime].reduce(sum) {
                $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
            }
        }
    }
}

/// Why a run ends, or why a row has no figures.
enum BenchmarkError: Error, CustomStringConvertible {
    /// The arguments make no sense.
    case usage(String)
    /// Something that the row needs is missing. The other rows still run.
    case skipped(String)
    /// A result is not what it has to be, or something could not be done.
    case failed(String)
    case interrupted

    var description: String {
        switch self {
        case .usage(let words), .skipped(let words), .failed(let words): words
        case .interrupted: "interrupted"
        }
    }
}

/// - Parameter words: what is the case if not.
func check(_ isRight: Bool, _ words: @autoclosure () -> String) throws {
    guard isRight else { throw BenchmarkError.failed("wrong result: \(words())") }
}
