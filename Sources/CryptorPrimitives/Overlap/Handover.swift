import Dispatch
import Synchronization

/// The end of memory that one thread fills and another reads behind it.
final class Handover: Sendable {
    private let filled = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let news = DispatchSemaphore(value: 0)

    /// For the filling thread: all bytes up to `end` are there.
    func publish(upTo end: Int) {
        filled.store(end, ordering: .releasing)
        news.signal()
    }

    /// For the filling thread: no more will come.
    func close() {
        isClosed.store(true, ordering: .releasing)
        news.signal()
    }

    /// For the reading thread: calls `body` with each range that has come, until the other side closes.
    func forEachRange<Failure: Error>(_ body: (Range<Int>) throws(Failure) -> Void) throws(Failure) {
        var position = 0
        while true {
            news.wait()
            let isLast = isClosed.load(ordering: .acquiring)
            let end = filled.load(ordering: .acquiring)
            if end > position { try body(position..<end) }
            position = end
            if isLast { return }
        }
    }
}
