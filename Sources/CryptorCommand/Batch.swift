import CryptorFormat
import Dispatch
import Synchronization

/// Several files, worked on side by side. A failure is reported and the others go on.
enum Batch {
    static let jobs = Option(
        "jobs", letter: "j", value: "N",
        "Work on N files at a time, or batches of lines; the number of cores without it.")

    /// The files whose keys are derived together: fewer take longer each, more at a time gain nothing.
    private static let groupCount = 4

    /// The number in `--jobs`.
    static func jobCount(_ arguments: Arguments) throws(CommandError) -> Int {
        guard let word = arguments["jobs"] else { return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        guard let count = Int(try word.text), (1...256).contains(count) else {
            throw .usage("--jobs takes a number from 1 to 256, not \(word.quoted)")
        }
        return count
    }

    /// Calls `work` with each index, at most `jobs` at a time.
    static func run(
        _ count: Int, jobs: Int, meter: ProgressMeter?, _ work: @escaping @Sendable (Int) throws(CommandError) -> Void
    ) throws(CommandError) {
        try run(count, jobs: jobs, meter: meter, with: (), prepare: { _ in }) { (index, _) throws(CommandError) in
            try work(index)
        }
    }

    /// Calls `work` with each index, at most `jobs` at a time, and with what `prepare` makes of `context` for that file and
    /// the next ones; a single one gets `context`.
    /// - Throws: for one file, its failure. For several, each failure is reported as it comes, and what is thrown at the
    ///   end counts them, with the status of the first in the order of the indices.
    static func run<Context: Sendable>(
        _ count: Int, jobs: Int, meter: ProgressMeter?, with context: Context,
        prepare: @escaping @Sendable (Range<Int>) -> Context,
        _ work: @escaping @Sendable (Int, Context) throws(CommandError) -> Void
    ) throws(CommandError) {
        guard count > 1 else { return try work(0, context) }
        let queue = PreparedQueue(count, inGroupsOf: min(groupCount, max(1, count / jobs))) { group in
            group.count > 1 ? prepare(group) : context
        }
        let failures = Mutex<[Int: CommandError]>([:])
        DispatchQueue.concurrentPerform(iterations: min(jobs, count)) { _ in
            while Interruption.signal == nil, let (index, context) = queue.next() {
                do throws(CommandError) {
                    try work(index, context)
                } catch {
                    failures.withLock { $0[index] = error }
                    guard error.status != .interrupted else { return }
                    meter?.clear()
                    Report.complain(error)
                }
            }
        }
        if Interruption.signal != nil { throw .interrupted }
        let failed = failures.withLock { $0 }
        guard let first = failed.min(by: { $0.key < $1.key })?.value else { return }
        throw CommandError(first.status, "\(failed.count) of \(count) files failed, as said above")
    }
}
