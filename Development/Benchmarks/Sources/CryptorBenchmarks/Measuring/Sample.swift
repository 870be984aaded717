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
