import CryptorFormat
import CryptorSystem

/// Counts the bytes that an operation reads, and reports them to the caller's handler, which may
/// cancel.
final class ProgressReporter {
    private let handler: ((FileProgress) throws -> Void)?
    /// How many bytes will be read in all; nil if that is not known.
    var totalByteCount: Int?
    private var byteCount = 0
    private var reportedByteCount = 0

    init(_ handler: ((FileProgress) throws -> Void)? = nil) { self.handler = handler }

    /// Reports the bytes that were read, once they are 64 KiB more than in the last report.
    func advance(by count: Int) throws(CryptorError) {
        byteCount += count
        guard byteCount - reportedByteCount >= 64 * 1024 else { return }
        reportedByteCount = byteCount
        try report()
    }

    /// Adds the bytes read so far to the total, if the total is not known: they are read again.
    func expectAgain() {
        if totalByteCount == nil { totalByteCount = 2 * byteCount }
    }

    /// Reports that all has been read, and gives the handler its last chance to cancel before the
    /// output is published. The second reading of a message leaves out its end.
    func complete() throws(CryptorError) {
        byteCount = max(byteCount, totalByteCount ?? 0)
        try report()
    }

    /// Calls the handler, which may cancel.
    /// - Parameter lacksAttributes: whether permissions or times of the output could not be set.
    func report(lacksAttributes: Bool = false) throws(CryptorError) {
        do {
            try handler?(
                FileProgress(
                    bytesDone: byteCount, totalBytes: totalByteCount,
                    lacksAttributes: lacksAttributes))
        } catch {
            throw .fromCallback(error)
        }
    }

    /// Reads once the file is ready: signals may reach only other threads, so the handler is asked
    /// every 50 ms whether to go on. Writes at once, because some devices are never ready, and
    /// again if that would block.
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
