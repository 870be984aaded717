import Dispatch
import Synchronization

/// Batches of lines on their way: one thread reads, several work, one writes in the order of the input. None of them waits
/// for another but where memory would grow: at most so many bytes are under way, and one line.
final class LinePipeline: Sendable {
    /// What becomes of a batch of lines: what to write, and what to complain of, by the place in the batch.
    struct Outcome: Sendable {
        var output: [UInt8] = []
        var failures: [(index: Int, error: CommandError)] = []
    }

    typealias Work = @Sendable ([LineReader.Line]) -> Outcome
    /// Writes all of the bytes: nil, or `errno`. After a signal it does not wait.
    typealias Output = @Sendable ([UInt8]) -> Int32?

    /// The lines that are worked on together. Sixteen have their keys derived at a time.
    private static let lineCount = 32
    /// A batch has about so many bytes.
    private static let byteCount = 256 * 1024
    private static let patience = DispatchTimeInterval.milliseconds(100)

    private final class Batch: Sendable {
        let lines: [LineReader.Line]
        let firstNumber: Int
        /// How much of the room it takes.
        let size: Int
        let outcome = Mutex<Outcome?>(nil)
        let isDone = DispatchSemaphore(value: 0)

        init(_ lines: [LineReader.Line], firstNumber: Int, size: Int) {
            self.lines = lines
            self.firstNumber = firstNumber
            self.size = size
        }
    }

    private struct Tally {
        var lineCount = 0
        var failureCount = 0
        var status = ExitStatus.malformed
        /// `errno` of a write that failed.
        var writeError: Int32?
    }

    private let work: Work
    private let output: Output
    private let jobs: Int
    private let capacity: Int
    private let room: DispatchSemaphore
    private let waiting = Channel<Batch>()
    private let written = Channel<Batch>()
    private let threads = DispatchGroup()
    private let tally = Mutex(Tally())

    /// - Parameters:
    ///   - output: the descriptor to write to.
    ///   - jobs: how many batches are worked on at a time.
    init(output: @escaping Output, jobs: Int, _ work: @escaping Work) {
        self.work = work
        self.output = output
        self.jobs = jobs
        capacity = 2 * jobs + 2
        room = DispatchSemaphore(value: capacity)
    }

    /// Reads standard input to its end.
    /// - Throws: the failure of a line with the number of those that failed; of reading or writing.
    func run(byteLimit: Int) throws(CommandError) {
        // The writer first: however few threads there are, one that works is enough.
        DispatchQueue.global().async(group: threads) { [self] in writeAll() }
        for _ in 0..<jobs { DispatchQueue.global().async(group: threads) { [self] in workOff() } }
        var reader = LineReader(byteLimit: byteLimit)
        var number = 1
        var failure: CommandError?
        do throws(CommandError) {
            var isAtEnd = false
            while !isAtEnd, tally.withLock({ $0.writeError }) == nil {
                let found = try reader.read(atMost: Self.lineCount, byteCount: Self.byteCount)
                isAtEnd = found.isAtEnd
                guard !found.lines.isEmpty else { continue }
                let batch = Batch(
                    found.lines, firstNumber: number, size: min(capacity, 1 + found.byteCount / Self.byteCount))
                number += found.lines.count
                for _ in 0..<batch.size { try wait { room.wait(timeout: $0) } }
                written.put(batch)
                waiting.put(batch)
            }
        } catch {
            failure = error
        }
        // What was read is written, unless a signal came. The threads have let go of the credential then.
        for _ in 0..<jobs { waiting.put(nil) }
        written.put(nil)
        if failure?.status != .interrupted { try wait { threads.wait(timeout: $0) } }
        if let failure { throw failure }
        try check()
    }

    private func check() throws(CommandError) {
        let tally = tally.withLock { $0 }
        if let number = tally.writeError {
            throw CommandError(.inputOutput, "standard output: It cannot be written: \(systemMessage(number)).")
        }
        guard tally.failureCount > 0 else { return }
        throw CommandError(
            tally.status, "\(tally.failureCount) of \(tally.lineCount) lines failed, as said above")
    }

    /// Waits, and gives up after a signal, which may have interrupted another thread.
    private func wait(_ isOver: (DispatchTime) -> DispatchTimeoutResult) throws(CommandError) {
        while isOver(.now() + Self.patience) == .timedOut {
            if Interruption.signal != nil { throw CommandError(.interrupted, "interrupted") }
        }
    }

    private func workOff() {
        while let batch = waiting.take() {
            let outcome = work(batch.lines)
            batch.outcome.withLock { $0 = outcome }
            batch.isDone.signal()
        }
    }

    private func writeAll() {
        while let batch = written.take() {
            batch.isDone.wait()
            guard let outcome = batch.outcome.withLock({ $0.take() }) else { continue }
            for (index, error) in outcome.failures {
                Report.complain(
                    CommandError(
                        error.status, "line \(batch.firstNumber + index): \(error.message)", hint: error.hint))
            }
            tally.withLock { tally in
                tally.lineCount += batch.lines.count
                tally.failureCount += outcome.failures.count
                if outcome.failures.contains(where: { $0.error.status == .software }) { tally.status = .software }
            }
            // After a failure, the others are let through to their end and not written.
            if tally.withLock({ $0.writeError }) == nil, let number = output(outcome.output) {
                tally.withLock { $0.writeError = number }
            }
            for _ in 0..<batch.size { room.signal() }
        }
    }
}

/// What one thread gives to others, in order.
private final class Channel<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element?]>([])
    private let count = DispatchSemaphore(value: 0)

    /// - Parameter element: nil for the end, once for each who takes.
    func put(_ element: Element?) {
        elements.withLock { $0.append(element) }
        count.signal()
    }

    /// Waits for the next one.
    func take() -> Element? {
        count.wait()
        return elements.withLock { $0.removeFirst() }
    }
}
