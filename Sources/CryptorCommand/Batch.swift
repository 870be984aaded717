import CryptorFormat
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
        min(try wantedJobCount(arguments), max(1, (openFileLimit() - descriptorReserve) / descriptorsPerFile))
    }

    /// What a file that is worked on takes at the most: source and output, their folders, and the file that is replaced.
    private static let descriptorsPerFile = 5
    private static let descriptorReserve = 16

    private static func wantedJobCount(_ arguments: Arguments) throws(CommandError) -> Int {
        guard let word = arguments["jobs"] else { return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        guard let count = Int(try word.text), (1...256).contains(count) else {
            throw .usage("--jobs takes a number from 1 to 256, not \(word.quoted)")
        }
        return count
    }

    /// Calls `work` with the index of each file, at most `jobs` at a time.
    static func run(
        _ files: [FileEndpoint], jobs: Int, _ work: @escaping @Sendable (Int) throws(CommandError) -> Void
    ) throws(CommandError) {
        try run(files, jobs: jobs, with: (), prepare: { _ in }) { (index, _) throws(CommandError) in
            try work(index)
        }
    }

    /// Calls `work` with the index of each file, at most `jobs` at a time, and with what `prepare` makes of `context` for
    /// that file and the next ones; a single one gets `context`.
    /// - Throws: for one file, its failure. For several, each failure is reported as it comes, and what is thrown at the
    ///   end counts them, with the status of the first in the order of the files. After a signal, `interrupted` with the
    ///   names of those that are not done.
    static func run<Context: Sendable>(
        _ files: [FileEndpoint], jobs: Int, with context: Context,
        prepare: @escaping @Sendable (Range<Int>) -> Context,
        _ work: @escaping @Sendable (Int, Context) throws(CommandError) -> Void
    ) throws(CommandError) {
        guard files.count > 1 else { return try work(0, context) }
        let queue = PreparedQueue(files.count, inGroupsOf: min(groupCount, max(1, files.count / jobs))) { group in
            group.count > 1 ? prepare(group) : context
        }
        let outcomes = Outcomes()
        let workOff = { @Sendable in
            while Interruption.signal == nil, let (index, context) = queue.next() {
                do throws(CommandError) {
                    try work(index, context)
                    outcomes.done.withLock { _ = $0.insert(index) }
                } catch {
                    outcomes.failures.withLock { $0[index] = error }
                    if error.isPublished { outcomes.done.withLock { _ = $0.insert(index) } }
                    guard error.status != .interrupted else { return }
                    Report.complain(error)
                }
            }
        }
        // This thread works as well, and does all of it where there is no other.
        let helpers = HelperThreads(min(jobs, files.count) - 1) { _ in workOff() }
        workOff()
        helpers.join()
        let done = outcomes.done.withLock { $0 }
        let failed = outcomes.failures.withLock { $0 }
        if Interruption.signal != nil, done.count < files.count { throw interrupted(files, done: done, failed) }
        guard let first = failed.min(by: { $0.key < $1.key })?.value else { return }
        throw CommandError(first.status, "\(failed.count) of \(files.count) files failed, as said above")
    }

    private final class Outcomes: Sendable {
        let done = Mutex<Set<Int>>([])
        let failures = Mutex<[Int: CommandError]>([:])
    }

    private static func interrupted(
        _ files: [FileEndpoint], done: Set<Int>, _ failed: [Int: CommandError]
    ) -> CommandError {
        CommandError(
            .interrupted, "interrupted; \(done.count) of \(files.count) files are done, all but these:",
            details: files.indices.filter { !done.contains($0) }.map { index in
                files[index].description + (failed[index]?.partialOutput.map { ": \($0)" } ?? "")
            })
    }
}
