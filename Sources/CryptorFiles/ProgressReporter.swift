import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// Counts bytes and reports them.
package struct ProgressReporter {
    /// Reports are at least this far apart, in bytes.
    private static let stepByteCount = 64 * 1024

    var totalBytes: Int?
    private let handler: FileProgress.Handler?
    private var bytesDone = 0
    private var unreported = 0

    package init(_ handler: FileProgress.Handler? = nil, totalBytes: Int? = nil) {
        self.handler = handler
        self.totalBytes = totalBytes
    }

    /// Doubles the total, for an input that is read twice.
    mutating func doubleTotal() {
        guard let total = totalBytes else { return }
        let (doubled, overflows) = total.multipliedReportingOverflow(by: 2)
        totalBytes = overflows ? nil : doubled
    }

    mutating func advance(by byteCount: Int) throws(CryptorError) {
        bytesDone += byteCount
        unreported += byteCount
        guard unreported >= Self.stepByteCount else { return }
        unreported = 0
        try report()
    }

    /// Reports that all has been read, and gives the handler its last occasion to cancel before the output is published. Of
    /// a message that is read again, the last bytes are not.
    mutating func complete() throws(CryptorError) {
        bytesDone = max(bytesDone, totalBytes ?? 0)
        try report()
    }

    /// Calls the handler, which may cancel.
    func report() throws(CryptorError) {
        do {
            try handler?(FileProgress(bytesDone: bytesDone, totalBytes: totalBytes))
        } catch {
            throw .cancelled
        }
    }

    /// The longest wait, in milliseconds, before the handler is called again.
    static let patience: CInt = 50

    /// Waits for a descriptor that does not block, not longer than ``patience`` if there is a handler: see
    /// ``CryptorPrimitives/FileDescriptor/wait(forReading:milliseconds:)``.
    /// - Throws: `interrupted` if the descriptor is not ready yet.
    func wait(for descriptor: borrowing FileDescriptor, toRead: Bool) throws(SystemError) {
        let isReady = try descriptor.wait(forReading: toRead, milliseconds: handler == nil ? -1 : Self.patience)
        guard isReady else { throw .interrupted }
    }
}

/// What is being done with a file, for its errors, and the handler that may cancel it.
struct FileAttempt {
    let operation: CryptorError.FileOperation
    /// What errors call the file.
    let name: FileName
    let progress: ProgressReporter

    init(_ operation: CryptorError.FileOperation, _ name: FileName, progress: ProgressReporter = ProgressReporter()) {
        self.operation = operation
        self.name = name
        self.progress = progress
    }

    /// The failure of a system call.
    func error(_ error: SystemError) -> CryptorError {
        let doing =
            switch operation {
            case .openingInput: "It cannot be opened"
            case .readingInput: "It cannot be read"
            case .creatingOutput: "It cannot be created"
            case .writingOutput: "It cannot be written"
            }
        return failure("\(doing): \(error).", because: error)
    }

    /// A failure that says what is wrong with the file, and what to do about it.
    func failure(
        _ sentence: String, code: CryptorError.Code = .inputOutput, advice: String? = nil,
        because error: SystemError? = nil
    ) -> CryptorError {
        var failure = CryptorError(code, sentence, advice: advice)
        failure.file = name
        failure.fileOperation = operation
        failure.systemErrorNumber = error?.number
        return failure
    }

    /// A failure after the output has got its name.
    func published(
        _ sentence: String, code: CryptorError.Code = .inputOutput, because error: SystemError?
    ) -> CryptorError {
        var failure = failure(sentence, code: code, because: error)
        failure.isPublished = true
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
