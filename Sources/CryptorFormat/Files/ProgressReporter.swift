import CryptorPrimitives

/// Counts bytes and reports them.
struct ProgressReporter {
    /// Reports are at least this far apart, in bytes.
    private static let stepByteCount = 64 * 1024

    var totalBytes: Int?
    private let handler: FileProgress.Handler?
    private var bytesDone = 0
    private var unreported = 0

    init(_ handler: FileProgress.Handler?, totalBytes: Int?) {
        self.handler = handler
        self.totalBytes = totalBytes
    }

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

    /// Calls the system again for as long as signals interrupt it and nobody cancels.
    func retrying<Result: ~Copyable>(
        _ operation: CryptorError.FileOperation, _ name: FileName, _ body: () throws(SystemError) -> Result
    ) throws(CryptorError) -> Result {
        while true {
            do throws(SystemError) {
                return try body()
            } catch {
                guard error == .interrupted else { throw .inputOutput(operation, name, error) }
            }
            try report()
        }
    }

    /// How long a wait lasts at most before the handler gets its occasion, in milliseconds.
    private static let patience: CInt = 50

    /// Waits some time for a descriptor that does not block; see ``CryptorPrimitives/FileDescriptor/wait(forReading:milliseconds:)``.
    /// - Throws: `interrupted` if that is still to be waited for.
    func wait(for descriptor: borrowing FileDescriptor, toRead: Bool) throws(SystemError) {
        let isReady = try descriptor.wait(forReading: toRead, milliseconds: handler == nil ? -1 : Self.patience)
        guard isReady else { throw .interrupted }
    }

    /// Opens a file without blocking, and waits where `body` would have to: `fcntl(2)` lets a program such as a file server
    /// have a lease on a file, which it gives back before long when somebody else opens it.
    func opening(
        _ operation: CryptorError.FileOperation, _ name: FileName, _ body: () throws(SystemError) -> FileDescriptor
    ) throws(CryptorError) -> FileDescriptor {
        try retrying(operation, name) { () throws(SystemError) in
            do throws(SystemError) {
                return try body()
            } catch {
                guard error == .wouldBlock else { throw error }
                try FileSystem.pause(milliseconds: Self.patience)
                throw .interrupted
            }
        }
    }

    /// Writes all of `bytes`, in as many calls as it takes.
    func write(
        _ bytes: [UInt8], to descriptor: borrowing FileDescriptor, named name: FileName
    ) throws(CryptorError) {
        try withRawSpan(of: bytes) { (bytes) throws(CryptorError) in
            var offset = 0
            while offset < bytes.byteCount {
                let rest = bytes.extracting(offset..<bytes.byteCount)
                offset += try retrying(.writingOutput, name) { () throws(SystemError) in
                    do throws(SystemError) {
                        return try descriptor.write(rest)
                    } catch {
                        guard error == .wouldBlock else { throw error }
                        try wait(for: descriptor, toRead: false)
                        throw .interrupted
                    }
                }
            }
        }
    }
}
