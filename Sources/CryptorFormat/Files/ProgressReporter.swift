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
        _ operation: CryptorError.FileOperation, _ name: String, _ body: () throws(SystemError) -> Result
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

    /// Writes all of `bytes`, in as many calls as it takes.
    func write(
        _ bytes: [UInt8], to descriptor: borrowing FileDescriptor, named name: String
    ) throws(CryptorError) {
        try withRawSpan(of: bytes) { (bytes) throws(CryptorError) in
            var offset = 0
            while offset < bytes.byteCount {
                let rest = bytes.extracting(offset..<bytes.byteCount)
                offset += try retrying(.writingOutput, name) { () throws(SystemError) in
                    try descriptor.writeOnce(rest)
                }
            }
        }
    }
}

extension FileDescriptor {
    /// Writes some of `bytes`, waiting first if the descriptor was set not to block.
    fileprivate borrowing func writeOnce(_ bytes: RawSpan) throws(SystemError) -> Int {
        do throws(SystemError) {
            return try write(bytes)
        } catch {
            guard error == .wouldBlock else { throw error }
            try wait(forReading: false)
            throw .interrupted
        }
    }
}
