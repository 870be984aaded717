import CryptorFormat
import CryptorSystem

/// What is being done with a file, for its errors, and the handler that may cancel it.
struct FileAttempt {
    let operation: CryptorError.FileOperation
    /// What errors call the file.
    let name: FileName
    let progress: ProgressReporter

    init(
        _ operation: CryptorError.FileOperation, _ name: FileName,
        progress: ProgressReporter = ProgressReporter()
    ) {
        self.operation = operation
        self.name = name
        self.progress = progress
    }

    /// The failure of a system call.
    func error(_ error: SystemError) -> CryptorError {
        if error == .leadsElsewhere {
            return failure(
                "It is a symbolic link, or its path leads through one or out of the folder that was named. Such paths are not "
                    + "followed: name the file itself.",
                code: .invalidPath, because: error)
        }
        return failure("It cannot be \(operation.rawValue): \(error).", because: error)
    }

    /// A failure that says what is wrong with the file, and what to do about it.
    /// - Parameter isPublished: whether the output has got its name.
    func failure(
        _ sentence: String, code: CryptorError.Code = .inputOutput, advice: String? = nil,
        because error: SystemError? = nil, isPublished: Bool = false
    ) -> CryptorError {
        var failure = CryptorError(code, sentence, advice: advice)
        failure.file = name
        failure.fileOperation = operation
        failure.systemErrorNumber = error?.number
        failure.isPublished = isPublished
        return failure
    }

    /// Makes a system call, and repeats it if it was interrupted, unless the handler cancels.
    func callAsFunction<Result: ~Copyable>(
        _ call: @autoclosure () throws(SystemError) -> Result
    ) throws(CryptorError) -> Result {
        while true {
            do throws(SystemError) { return try call() } catch {
                guard error == .interrupted else { throw self.error(error) }
            }
            try progress.report()
        }
    }
}

/// Counts the bytes that an operation reads, and reports them to the caller's handler, which may
/// cancel.
package final class ProgressReporter {
    private let handler: ((FileProgress) throws -> Void)?
    /// How many bytes will be read in all; nil if that is not known.
    var totalByteCount: Int?
    private var byteCount = 0
    private var reportedByteCount = 0

    package init(_ handler: ((FileProgress) throws -> Void)? = nil) { self.handler = handler }

    /// Reports what was read, once it is 64 KiB more than at the last time.
    func advance(by count: Int) throws(CryptorError) {
        byteCount += count
        guard byteCount - reportedByteCount >= 64 * 1024 else { return }
        reportedByteCount = byteCount
        try report()
    }

    /// Reports that all has been read, and gives the handler its last occasion to cancel before the
    /// output is published. The second reading of a message leaves out its end.
    func complete() throws(CryptorError) {
        byteCount = max(byteCount, totalByteCount ?? 0)
        try report()
    }

    /// Calls the handler, which may cancel.
    func report() throws(CryptorError) {
        do {
            try handler?(FileProgress(bytesDone: byteCount, totalBytes: totalByteCount))
        } catch {
            throw .fromCallback(error)
        }
    }

    /// Reads once the file is ready: signals may reach only other threads, so a handler has to be
    /// asked now and then, every 50 ms, whether to go on. Writes at once, since some devices are
    /// never ready, and again if that would block.
    /// - Throws: `interrupted` if the file is not ready yet.
    func whenReady(
        _ file: borrowing FileDescriptor, toRead: Bool, _ call: () throws(SystemError) -> Int
    ) throws(SystemError) -> Int {
        if !toRead {
            do throws(SystemError) { return try call() } catch {
                if error != .wouldBlock { throw error }
            }
        }
        guard try file.wait(forReading: toRead, milliseconds: handler == nil ? -1 : 50) else {
            throw .interrupted
        }
        do throws(SystemError) { return try call() } catch {
            throw error == .wouldBlock ? .interrupted : error
        }
    }
}
