import Synchronization

/// Ticks every 10 ms as a Swift task, and notes how late: what a server's other tasks feel. Printed, not judged.
final class Ticker: Sendable {
    static let interval = Duration.milliseconds(10)

    private let lateness = Mutex<[Duration]>([])

    func start() -> Task<Void, Never> {
        Task.detached { [self] in
            var due = ContinuousClock.now + Self.interval
            while !Task.isCancelled {
                try? await Task.sleep(until: due, clock: .continuous)
                let now = ContinuousClock.now
                lateness.withLock { $0.append(now - due) }
                due = now + Self.interval
            }
        }
    }

    var report: String {
        let sorted = lateness.withLock { $0 }.sorted()
        guard let worst = sorted.last else { return "no tick" }
        func milliseconds(_ duration: Duration) -> String {
            let (seconds, attoseconds) = duration.components
            let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
            return "\(tenths / 10).\(tenths % 10) ms"
        }
        func quantile(_ part: Double) -> String { milliseconds(sorted[Int(Double(sorted.count - 1) * part)]) }
        return "\(sorted.count) ticks of 10 ms: late by \(quantile(0.5)) (median), \(quantile(0.99)) (1 in 100), "
            + "\(milliseconds(worst)) (worst)"
    }
}
