#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// This program in a separate process that measures one benchmark. It prints lines of figures, with tabs between the
/// columns.
enum Child {
    /// The first argument of such a process, followed by the name of the benchmark and the options.
    static let argument = "child"

    // MARK: The parent's side

    static func samples(
        of benchmark: Benchmark, _ race: Race, _ options: Options
    ) throws(BenchmarkError) -> [[Sample]] {
        var samples = [[Sample]](repeating: [], count: race.contenders.count)
        for line in try lines(of: benchmark, options) {
            guard line.count == 3, let index = Int(line[0]), samples.indices.contains(index),
                let wall = Double(line[1]), let processor = Double(line[2])
            else { throw .failed("its process printed \(line)") }
            samples[index].append(Sample(wall: wall, processor: processor))
        }
        guard samples.allSatisfy({ !$0.isEmpty }) else { throw .failed("its process printed too little") }
        return samples
    }

    static func amounts(of benchmark: Benchmark, _ options: Options) throws(BenchmarkError) -> [Amount] {
        var amounts: [Amount] = []
        for line in try lines(of: benchmark, options) {
            if line.first == "skipped" { throw .skipped(line.dropFirst().joined(separator: " ")) }
            guard line.count == 4, let value = Double(line[1]), let unit = Amount.Unit(rawValue: line[2]) else {
                throw .failed("its process printed \(line)")
            }
            amounts.append(Amount(label: line[0], value: value, unit: unit, allowed: Double(line[3])))
        }
        return amounts
    }

    private static func lines(of benchmark: Benchmark, _ options: Options) throws(BenchmarkError) -> [[String]] {
        guard let program = Tool.thisProgram else { throw .failed("the path of this program is not known") }
        var arguments = [program, argument, benchmark.name] + options.forChild
        if let environment = benchmark.environment { arguments = ["/usr/bin/env", environment] + arguments }
        return try Tool.output(of: arguments).split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    // MARK: The child's side

    static func measure(_ benchmark: Benchmark, _ setting: Setting) throws(BenchmarkError) {
        switch benchmark.work {
        case .race(let rounds, let makeRace):
            let samples = try Runner(setting: setting).samples(of: try makeRace(setting), rounds: rounds)
            for (index, samples) in samples.enumerated() {
                for sample in samples { print("\(index)\t\(sample.wall)\t\(sample.processor)") }
            }
        case .amounts(let makeAmounts):
            do throws(BenchmarkError) {
                for amount in try makeAmounts(setting) {
                    let allowed = amount.allowed.map { "\($0)" } ?? ""
                    print("\(amount.label)\t\(amount.value)\t\(amount.unit.rawValue)\t\(allowed)")
                }
            } catch {
                guard case .skipped(let reason) = error else { throw error }
                print("skipped\t\(reason)")
            }
        }
    }
}
