import CryptorPrimitives

/// Counts bytes and reports them.
struct ProgressReporter {
    /// Reports are at least this far apart, in bytes.
    private static let stepByteCount = 64 * 1024

    var totalBytes: Int?
    private let handler: FileProgress.Handler?
    private var bytesDone = 0
    private var unreported = 0

    init(_ handler: FileProgress.Handler? = nil, totalBytes: Int? = nil) {
        self.handler = handler
        self.totalBytes = totalBytes
    }

    /// Whether anybody is asked to go on.
    var mayCancel: Bool { handler != nil }

    /// The input is read a second time.
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

    /// Gives the handler an occasion to cancel.
    func report() throws(CryptorError) {
        do {
            try handler?(FileProgress(bytesDone: bytesDone, totalBytes: totalBytes))
        } catch {
            throw .cancelled
        }
    }

    /// How long a wait lasts at most before the handler gets its occasion, in milliseconds.
    static let patience: CInt = 50

    /// Waits some time for a descriptor that does not block; see ``CryptorPrimitives/FileDescriptor/wait(forReading:milliseconds:)``.
    /// - Throws: `interrupted` if that is still to be waited for.
    func wait(for descriptor: borrowing FileDescriptor, toRead: Bool) throws(SystemError) {
        let isReady = try descriptor.wait(forReading: toRead, milliseconds: handler == nil ? -1 : Self.patience)
        guard isReady else { throw .interrupted }
    }
}

/// What is being done with a file, for its errors, and who is asked whether to go on while that lasts.
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

    func error(_ error: SystemError) -> CryptorError { .inputOutput(operation, name, because: error) }

    /// Says of a link that it is why there is nothing.
    func naming<Result: ~Copyable>(_ body: () throws(CryptorError) -> Result) throws(CryptorError) -> Result {
        do throws(CryptorError) { return try body() } catch {
            guard error.systemErrorNumber == SystemError.leadsElsewhere.number else { throw error }
            throw .linkBelowFolder(operation, name)
        }
    }

    /// Calls the system again for as long as signals interrupt it and nobody cancels.
    func retrying<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(CryptorError) -> Result {
        while true {
            do throws(SystemError) {
                return try body()
            } catch {
                guard error == .interrupted else { throw self.error(error) }
            }
            try progress.report()
        }
    }

    /// Opens a file without blocking, and waits where `body` would have to: for the reader of a FIFO, or for another program, such
    /// as a file server, to give back its lease on the file (`fcntl(2)`).
    func opening(_ body: () throws(SystemError) -> FileDescriptor) throws(CryptorError) -> FileDescriptor {
        try retrying { () throws(SystemError) in
            do throws(SystemError) {
                return try body()
            } catch {
                guard error == .wouldBlock else { throw error }
                try FileSystem.pause(milliseconds: ProgressReporter.patience)
                throw .interrupted
            }
        }
    }
}
