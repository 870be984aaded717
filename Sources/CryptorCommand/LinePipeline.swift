import CryptorFormat
import Dispatch
import Synchronization

/// Takes batches of lines from input to output. This thread reads and writes them, in the order of the input, and a
/// pool works on them in between. Reading waits for the other steps only to limit memory: the bytes under way exceed a
/// limit by at most one line.
struct LinePipeline {
    /// The outcome of a batch of lines: what to write, and the failures, by the index of the line in the batch.
    struct Outcome: Sendable {
        var output: [UInt8] = []
        var failures: [(index: Int, error: CommandError)] = []
    }

    typealias Work = @Sendable (LineReader.Lines) -> Outcome
    /// Writes all of the bytes, and returns nil or `errno`. After a signal it does not wait.
    typealias Output = ([UInt8]) -> Int32?

    /// The approximate size of a batch in bytes.
    private static let byteCount = 128 * 1024
    private static let patience = DispatchTimeInterval.milliseconds(100)

    private let work: LineWork
    private let output: Output
    private let pool: CryptorPool
    private let lineCount: Int
    private var room: Int
    private var underWay: [LineBatch] = []
    private var writtenCount = 0
    private var failureCount = 0
    private var status = ExitStatus.malformed

    /// - Parameters:
    ///   - pool: a pool with `jobs` threads.
    ///   - jobs: how many batches are worked on at a time.
    ///   - lineCount: the most lines that are worked on together.
    init(
        output: @escaping Output, on pool: CryptorPool, jobs: Int, lineCount: Int, _ work: @escaping Work
    ) {
        self.work = LineWork(work)
        self.lineCount = lineCount
        self.output = output
        self.pool = pool
        room = 2 * jobs + 2
    }

    /// Reads standard input to its end.
    /// - Throws: if lines failed, an error with their number; or the error of reading or writing.
    mutating func run(byteLimit: Int) throws(CommandError) {
        var reader = LineReader(byteLimit: byteLimit)
        var readCount = 0
        var isAtEnd = false
        // It is thrown once the lines that were read before it have been written.
        var failure: CommandError?
        let capacity = room
        defer {
            // When the process ends, no task may be at work or hold secrets.
            work.drop()
            for batch in underWay { batch.isDone.wait() }
        }
        while !isAtEnd || !underWay.isEmpty {
            if Interruption.signal != nil { throw interrupted }
            if !isAtEnd, room > 0, underWay.isEmpty || reader.hasNews {
                let found = reader.read(
                    // While batches are under way, this does not wait for the end of a line: it would hold them back.
                    atMost: lineCount, byteCount: Self.byteCount, mayWait: underWay.isEmpty)
                if found.failure?.status == .interrupted { throw interrupted }
                failure = found.failure
                isAtEnd = found.isAtEnd
                guard found.count > 0 else {
                    // A line that goes on and on must not hold back batches that are done.
                    while underWay.first?.isDone.wait(timeout: .now()) == .success { try write(underWay.removeFirst()) }
                    continue
                }
                begin(
                    LineBatch(
                        found, firstNumber: readCount + 1,
                        size: min(capacity, 1 + found.bytes.count / Self.byteCount)))
                readCount += found.count
            } else if underWay[0].isDone.wait(timeout: .now() + Self.patience) == .success {
                try write(underWay.removeFirst())
            }
        }
        if let failure { throw failure }
        guard failureCount > 0 else { return }
        throw CommandError(status, "\(failureCount) of \(writtenCount) lines failed, as said above")
    }

    private var interrupted: CommandError {
        CommandError(.interrupted, "interrupted; \(writtenCount) lines are done, and perhaps a part of the next ones")
    }

    private mutating func begin(_ batch: LineBatch) {
        room -= batch.size
        underWay.append(batch)
        Task(executorPreference: pool) { [work] in
            work.work(on: batch)
            batch.isDone.signal()
        }
    }

    private mutating func write(_ batch: LineBatch) throws(CommandError) {
        room += batch.size
        guard let outcome = batch.outcome.withLock({ $0.take() }) else { return }
        for (index, error) in outcome.failures {
            // There may be thousands of failures that nobody reads. After a signal, no more are reported.
            if Interruption.signal != nil { throw interrupted }
            Report.complain(
                CommandError(error.status, "line \(batch.firstNumber + index): \(error.message)", hint: error.hint))
        }
        if let number = output(outcome.output) {
            throw Interruption.signal == nil ? .unwritable(.standardOutput, number) : interrupted
        }
        writtenCount += batch.lines.count
        failureCount += outcome.failures.count
        if outcome.failures.contains(where: { $0.error.status == .software }) { status = .software }
    }
}

private final class LineBatch: Sendable {
    let lines: LineReader.Lines
    let firstNumber: Int
    /// How much of the pipeline's `room` the batch takes.
    let size: Int
    let outcome = Mutex<LinePipeline.Outcome?>(nil)
    let isDone = DispatchSemaphore(value: 0)

    init(_ lines: LineReader.Lines, firstNumber: Int, size: Int) {
        self.lines = lines
        self.firstNumber = firstNumber
        self.size = size
    }
}

/// The closure that does the work. The mutex holds it in a struct: Swift would wrap a bare closure anew at each access.
private final class LineWork: Sendable {
    private struct Body {
        let run: LinePipeline.Work
    }

    private let body: Mutex<Body?>

    init(_ run: @escaping LinePipeline.Work) { body = Mutex(Body(run: run)) }

    /// Releases the closure and its secrets, even if a task is still about to end.
    func drop() { body.withLock { $0 = nil } }

    func work(on batch: LineBatch) {
        guard let body = body.withLock({ $0 }) else { return }
        let outcome = body.run(batch.lines)
        batch.outcome.withLock { $0 = outcome }
    }
}
