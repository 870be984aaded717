import CryptorFormat
import Synchronization

/// Several files, worked on side by side. A failure is reported and the others go on.
enum Batch {
    static let jobs = Option(
        "jobs", letter: "j", value: "N",
        "Work on N files at a time, or batches of lines; the number of cores without it.")

    /// What a file that is worked on takes at the most: source and output, their folders, and the file that is replaced.
    private static let descriptorsPerFile = 5
    private static let descriptorReserve = 16
    /// The files that wait for the pool, at the most: each is a task.
    private static let waitingCount = 64

    /// Of each thread. The system's 8 MiB would be missing elsewhere where the address space is limited (`ulimit -v`).
    private static let stackByteCount = 512 * 1024

    /// The number in `--jobs`.
    static func jobCount(_ arguments: Arguments) throws(CommandError) -> Int {
        guard let word = arguments["jobs"] else { return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        guard let count = Int(try word.text), (1...256).contains(count) else {
            throw .usage("--jobs takes a number from 1 to 256, not \(word.quoted)")
        }
        return count
    }

    /// Calls `work` with the index of each file and the pool that is to do it, with `jobs` threads, this one among them.
    /// - Throws: for one file, its failure. For several, each failure is reported as it comes, and what is thrown at the
    ///   end counts them, with the status of the first in the order of the files. After a signal, `interrupted` with the
    ///   names of those that are not done.
    static func run(
        _ files: [FileEndpoint], jobs: Int,
        _ work: @escaping @Sendable (Int, CryptorPool) async throws(CommandError) -> Void
    ) throws(CommandError) {
        let folders = Set(files.compactMap { $0.placeBelow?.folder })
        let pool = pool(threadCount: min(jobs, files.count), folderCount: folders.count)
        guard files.count > 1 else {
            return try pool.runAndWait { () async throws(CommandError) in try await work(0, pool) }
        }
        let outcomes = Outcomes()
        let attempt = { @Sendable (index: Int) async in
            guard Interruption.signal == nil else { return }
            do throws(CommandError) {
                try await work(index, pool)
                outcomes.done.withLock { _ = $0.insert(index) }
            } catch {
                outcomes.failures.withLock { $0[index] = error }
                if error.isPublished { outcomes.done.withLock { _ = $0.insert(index) } }
                if error.status != .interrupted { Report.complain(error) }
            }
        }
        pool.runAndWait {
            await withTaskGroup(of: Void.self) { group in
                for index in files.indices {
                    if index >= waitingCount { await group.next() }
                    group.addTask { await attempt(index) }
                }
            }
        }
        let done = outcomes.done.withLock { $0 }
        let failed = outcomes.failures.withLock { $0 }
        if Interruption.signal != nil, done.count < files.count { throw interrupted(files, done: done, failed) }
        guard let first = failed.min(by: { $0.key < $1.key })?.value else { return }
        throw failure(first, failed.count, of: files.count)
    }

    /// Finds out what is wrong with files before a person is asked for their password. Nothing is written for that.
    /// - Parameter check: throws what is wrong with a file.
    /// - Throws: if all of them would fail, as ``run(_:jobs:_:)`` does.
    static func rehearse(
        _ inputs: InputFiles, _ check: (FileEndpoint) throws(CommandError) -> Void
    ) throws(CommandError) {
        // What can be read once only is left for then; and of very many files, some will do.
        guard inputs.files.count <= 100, !inputs.files.contains(where: \.isStream) else { return }
        var failures: [CommandError] = []
        for index in inputs.files.indices {
            do throws(CommandError) { return try check(try inputs.file(index)) } catch {
                if error.status == .interrupted { throw error }
                failures.append(error)
            }
        }
        guard let first = failures.first else { return }
        guard inputs.files.count > 1 else { throw first }
        for failure in failures { Report.complain(failure) }
        throw failure(first, failures.count, of: inputs.files.count)
    }

    /// Whether a file can be opened, and is a message that such a secret could be for.
    static func rehearseReading(
        _ file: FileEndpoint, for secret: SecretSource, accepting: Acceptance
    ) throws(CommandError) {
        do throws(CryptorError) {
            try Cryptor.verifyFile(
                at: file, with: secret.isKeys ? .keys(.random()) : .password("any"), accepting: accepting,
                acceptingBase64: true, progress: { _ in throw CancellationError() })
        } catch {
            if [.cancelled, .authenticationFailed].contains(error.code) { return }
            throw CommandError(error)
        }
    }

    /// Whether a file can be opened.
    static func rehearseOpening(_ file: FileEndpoint) throws(CommandError) {
        do throws(CryptorError) { _ = try Cryptor.inspectFile(at: file) } catch {
            if error.fileOperation == .openingInput { throw CommandError(error) }
        }
    }

    /// Whether an output can be opened, unless that would be seen.
    static func rehearseWriting(
        _ output: FileEndpoint, for input: FileEndpoint, overwriting: Bool, replacingInput: Bool = false
    ) throws(CommandError) {
        guard !output.isStream else { return }
        do throws(CryptorError) {
            try output.rehearseWriting(
                for: input, overwriting: overwriting, replacingSource: replacingInput,
                progress: { _ in try Interruption.check() })
        } catch {
            throw CommandError(error)
        }
    }

    private static func failure(_ first: CommandError, _ count: Int, of fileCount: Int) -> CommandError {
        CommandError(first.status, "\(count) of \(fileCount) files failed, as said above")
    }

    /// A pool for files or lines.
    /// - Parameter folderCount: how many folders stay open meanwhile.
    static func pool(threadCount: Int, folderCount: Int = 0) -> CryptorPool {
        CryptorPool(
            threadCount: threadCount,
            maximumWaitingCount: max(1, (openFileLimit() - folderCount - descriptorReserve) / descriptorsPerFile),
            stackByteCount: stackByteCount)
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
