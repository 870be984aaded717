import CryptorFormat
import Dispatch
import Synchronization

/// Batches of lines on their way: this thread reads and writes, in the order of the input, and a pool works on what is between.
/// Nobody waits for another but where memory would grow: at most so many bytes are under way, and one line.
struct LinePipeline {
    /// What becomes of a batch of lines: what to write, and what to complain of, by the place in the batch.
    struct Outcome: Sendable {
        var output: [UInt8] = []
        var failures: [(index: Int, error: CommandError)] = []
    }

    typealias Work = @Sendable (LineReader.Lines) -> Outcome
    /// Writes all of the bytes: nil, or `errno`. After a signal it does not wait.
    typealias Output = ([UInt8]) -> Int32?

    /// A batch has about so many bytes.
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
    ///   - pool: with so many threads.
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
    /// - Throws: the failure of a line with the number of those that failed; of reading or writing.
    mutating func run(byteLimit: Int) throws(CommandError) {
        var reader = LineReader(byteLimit: byteLimit)
        var readCount = 0
        var isAtEnd = false
        // What was read before it is written.
        var failure: CommandError?
        let capacity = room
        defer {
            // No task is at work when the process ends, nor has its secrets.
            work.drop()
            for batch in underWay { batch.isDone.wait() }
        }
        while !isAtEnd || !underWay.isEmpty {
            if Interruption.signal != nil { throw interrupted }
            if !isAtEnd, room > 0, underWay.isEmpty || reader.hasNews {
                let found = reader.read(
                    // What is done is not held back by a line that has only begun.
                    atMost: lineCount, byteCount: Self.byteCount, mayWait: underWay.isEmpty)
                if found.failure?.status == .interrupted { throw interrupted }
                failure = found.failure
                isAtEnd = found.isAtEnd
                guard found.lines.count > 0 else {
                    // A line that goes on and on holds back nothing that is done.
                    while underWay.first?.isDone.wait(timeout: .now()) == .success { try write(underWay.removeFirst()) }
                    continue
                }
                begin(
                    LineBatch(
                        found, firstNumber: readCount + 1,
                        size: min(capacity, 1 + found.lines.bytes.count / Self.byteCount)))
                readCount += found.lines.count
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
            // Of thousands that nobody reads, none is waited for.
            if Interruption.signal != nil { throw interrupted }
            Report.complain(
                CommandError(error.status, "line \(batch.firstNumber + index): \(error.message)", hint: error.hint))
        }
        if let number = output(outcome.output) {
            throw Interruption.signal == nil ? .unwritable(.standardOutput, number) : interrupted
        }
        writtenCount += batch.lines.lines.count
        failureCount += outcome.failures.count
        if outcome.failures.contains(where: { $0.error.status == .software }) { status = .software }
    }
}

private final class LineBatch: Sendable {
    let lines: LineReader.Lines
    let firstNumber: Int
    /// How much of the room it takes.
    let size: Int
    let outcome = Mutex<LinePipeline.Outcome?>(nil)
    let isDone = DispatchSemaphore(value: 0)

    init(_ lines: LineReader.Lines, firstNumber: Int, size: Int) {
        self.lines = lines
        self.firstNumber = firstNumber
        self.size = size
    }
}

/// A struct in the mutex: Swift would wrap a bare closure once more each time that it is looked at.
private final class LineWork: Sendable {
    private struct Body {
        let run: LinePipeline.Work
    }

    private let body: Mutex<Body?>

    init(_ run: @escaping LinePipeline.Work) { body = Mutex(Body(run: run)) }

    /// Secrets go with it, though a task may still be about to end.
    func drop() { body.withLock { $0 = nil } }

    func work(on batch: LineBatch) {
        guard let body = body.withLock({ $0 }) else { return }
        let outcome = body.run(batch.lines)
        batch.outcome.withLock { $0 = outcome }
    }
}
