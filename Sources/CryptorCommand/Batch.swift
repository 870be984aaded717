import CryptorFormat

/// Works on several files, one after the other. If one fails, its failure is reported and the work on the others goes on.
enum Batch {
    static let jobs = Option(
        "jobs", letter: "j", value: "N",
        "Work on N files, or batches of lines, at a time; without this option, as many as there are cores.")

    /// The stack size of each thread. The system's 8 MiB would use up an address space that is limited (`ulimit -v`).
    private static let stackByteCount = 512 * 1024

    /// The number in `--jobs`.
    static func jobCount(_ arguments: Arguments) throws(CommandError) -> Int {
        guard let word = arguments["jobs"] else { return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        guard let count = Int(try word.text), (1...256).contains(count) else {
            throw .usage("--jobs takes a number from 1 to 256, not \(word.quoted)")
        }
        return count
    }

    /// Calls `work` for each file with its index, one after the other.
    /// - Throws: for one file, its failure. For several, each failure is reported as it comes, and the error at the end
    ///   gives their number, with the status of the first. After a signal, `interrupted` with the names of the files
    ///   that are not done.
    static func run(
        _ files: [FileEndpoint], _ work: (Int) throws(CommandError) -> Void
    ) throws(CommandError) {
        guard files.count > 1 else { return try work(0) }
        var done: Set<Int> = []
        var failed: [Int: CommandError] = [:]
        for index in files.indices where Interruption.signal == nil {
            do throws(CommandError) {
                try work(index)
                done.insert(index)
            } catch {
                if error.status != .interrupted { Report.complain(error) }
                if error.isPublished { done.insert(index) }
                failed[index] = error
            }
        }
        if Interruption.signal != nil, done.count < files.count { throw interrupted(files, done: done, failed) }
        guard let first = failed.min(by: { $0.key < $1.key })?.value else { return }
        throw failure(first, failed.count, of: files.count)
    }

    /// Checks whether at least one file can be worked on, before the user is asked for a password. Nothing is written.
    /// - Parameter check: throws what is wrong with a file.
    /// - Throws: if all of the files would fail, the error that ``run(_:_:)`` would throw.
    static func rehearse(
        _ inputs: InputFiles, _ check: (FileEndpoint) throws(CommandError) -> Void
    ) throws(CommandError) {
        // A stream can be read only once, so it is left for the work itself. Of very many files, some will be fine.
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

    /// Checks that a file can be opened and holds a message for this kind of secret: a password or keys.
    static func rehearseReading(
        _ file: FileEndpoint, for secret: SecretSource, accepting: Acceptance
    ) throws(CommandError) {
        do throws(CryptorError) {
            try Cryptor.verifyFile(
                at: file, with: secret.isKeys ? .keys(.random()) : .password("any"), accepting: accepting,
                options: FileOptions(base64: true), progress: { _ in throw CancellationError() })
        } catch {
            if [.cancelled, .authenticationFailed].contains(error.code) { return }
            throw CommandError(error)
        }
    }

    /// Checks that a file and its output can be opened. Outputs that are streams are left out, since their readers would
    /// notice.
    static func rehearseOpening(
        _ input: FileEndpoint, writingTo output: FileEndpoint, overwriting: Bool, replacingInput: Bool = false
    ) throws(CommandError) {
        do throws(CryptorError) {
            try input.rehearse(
                writingTo: output.isStream ? nil : output, overwriting: overwriting, inPlace: replacingInput,
                progress: { _ in try Interruption.check() })
        } catch {
            throw CommandError(error)
        }
    }

    private static func failure(_ first: CommandError, _ count: Int, of fileCount: Int) -> CommandError {
        CommandError(first.status, "\(count) of \(fileCount) files failed, as said above")
    }

    /// A pool for lines.
    static func pool(threadCount: Int) -> CryptorPool {
        CryptorPool(threadCount: threadCount, stackByteCount: stackByteCount)
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
