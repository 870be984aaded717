import Synchronization

/// Ticks every 10 ms in a Swift task and notes how late it is, as a server's other tasks would be. Printed, not judged.
final class Ticker: Sendable {
    static let interval = Duration.milliseconds(10)

    private let lateness = Mutex(Lateness())

    func start() -> Task<Void, Never> {
        Task.detached { [self] in
            var due = ContinuousClock.now + Self.interval
            while !Task.isCancelled {
                try? await Task.sleep(until: due, clock: .continuous)
                let now = ContinuousClock.now
                lateness.withLock { $0.note(now - due) }
                due = now + Self.interval
            }
        }
    }

    var report: String { lateness.withLock { $0.report } }
}

/// How late ticks were. This takes as much memory at the end as at the start, because this program measures memory.
private struct Lateness {
    /// The number of ticks for each tenth of a millisecond. The last element is for a second and more.
    private var counts = [Int](repeating: 0, count: 10_001)
    private var worst = 0

    mutating func note(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let tenths = max(0, Int(seconds) * 10_000 + Int(attoseconds / 100_000_000_000_000))
        counts[min(tenths, counts.count - 1)] += 1
        worst = max(worst, tenths)
    }

    var report: String {
        let count = counts.reduce(0, +)
        guard count > 0 else { return "no tick" }
        func milliseconds(_ tenths: Int) -> String { "\(tenths / 10).\(tenths % 10) ms" }
        func quantile(_ part: Double) -> String {
            var rest = Int(Double(count - 1) * part)
            let tenths = counts.firstIndex { ticks in
                rest -= ticks
                return rest < 0
            }
            return milliseconds(tenths ?? worst)
        }
        return "\(count) ticks of 10 ms: late by \(quantile(0.5)) (median), \(quantile(0.99)) (1 in 100), "
            + "\(milliseconds(worst)) (worst)"
    }
}
