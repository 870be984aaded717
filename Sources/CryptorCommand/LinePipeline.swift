import CryptorFormat
import Dispatch
import Synchronization

/// Batches of lines on their way: one thread reads, several work, one writes in the order of the input. None of them waits
/// for another but where memory would grow: at most so many bytes are under way, and one line. Where the system gives no
/// threads, the one that reads does all of it.
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

        func check() throws(CommandError) {
            if let writeError { throw .unwritable(.standardOutput, writeError) }
            guard failureCount > 0 else { return }
            throw CommandError(status, "\(failureCount) of \(lineCount) lines failed, as said above")
        }
    }

    private let work: Work
    private let output: Output
    private let jobs: Int
    private let capacity: Int
    private let room: DispatchSemaphore
    private let waiting = Channel<Batch>()
    private let written = Channel<Batch>()
    private let tally = Mutex(Tally())

    /// - Parameter jobs: how many batches are worked on at a time.
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
        // The writer first: there is none without a worker, and no worker without it.
        let threads = HelperThreads(1 + jobs) { [self] number in
            if number == 0 { writeAll() } else { workOff() }
        }
        var readCount: Int?
        var failure: CommandError?
        do throws(CommandError) {
            readCount = try readAll(byteLimit: byteLimit, threadCount: threads.count)
        } catch {
            failure = error
        }
        // What was read is written, unless a signal came.
        for _ in 0..<jobs { waiting.put(nil) }
        written.put(nil)
        threads.join()
        if let failure, failure.status != .interrupted { throw failure }
        let tally = tally.withLock { $0 }
        guard Interruption.signal == nil || tally.lineCount == readCount else {
            throw CommandError(
                .interrupted,
                "interrupted; \(tally.lineCount) lines are done, and perhaps a part of the next ones")
        }
        try tally.check()
    }

    /// - Returns: the number of lines, once they have come to their end.
    private func readAll(byteLimit: Int, threadCount: Int) throws(CommandError) -> Int {
        var reader = LineReader(byteLimit: byteLimit)
        var number = 1
        var isAtEnd = false
        while !isAtEnd, tally.withLock({ $0.writeError }) == nil {
            let found = try reader.read(atMost: Self.lineCount, byteCount: Self.byteCount)
            isAtEnd = found.isAtEnd
            guard !found.lines.isEmpty else { continue }
            let batch = Batch(
                found.lines, firstNumber: number, size: min(capacity, 1 + found.byteCount / Self.byteCount))
            number += found.lines.count
            for _ in 0..<batch.size { try waitForRoom() }
            if threadCount > 1 { waiting.put(batch) } else { workOn(batch) }
            if threadCount > 0 { written.put(batch) } else { write(batch) }
        }
        return number - 1
    }

    private func waitForRoom() throws(CommandError) {
        while room.wait(timeout: .now() + Self.patience) == .timedOut {
            if Interruption.signal != nil { throw CommandError(.interrupted, "interrupted") }
        }
    }

    private func workOff() {
        while let batch = waiting.take() { workOn(batch) }
    }

    private func workOn(_ batch: Batch) {
        // After a signal, nothing is left to be done: the writer writes nothing then.
        if Interruption.signal == nil {
            let outcome = work(batch.lines)
            batch.outcome.withLock { $0 = outcome }
        }
        batch.isDone.signal()
    }

    private func writeAll() {
        while let batch = written.take() { write(batch) }
    }

    private func write(_ batch: Batch) {
        batch.isDone.wait()
        defer { for _ in 0..<batch.size { room.signal() } }
        // After a failure, the others are let through to their end and not written.
        guard Interruption.signal == nil, tally.withLock({ $0.writeError }) == nil,
            let outcome = batch.outcome.withLock({ $0.take() })
        else { return }
        for (index, error) in outcome.failures {
            Report.complain(
                CommandError(error.status, "line \(batch.firstNumber + index): \(error.message)", hint: error.hint))
        }
        let number = output(outcome.output)
        tally.withLock { tally in
            tally.writeError = number
            guard number == nil else { return }
            tally.lineCount += batch.lines.count
            tally.failureCount += outcome.failures.count
            if outcome.failures.contains(where: { $0.error.status == .software }) { tally.status = .software }
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
