import CryptorFormat
import Dispatch
import Synchronization

/// Stands between a decryption and a terminal: text goes through, and what a terminal would choke on, or take for
/// commands, stops it.
final class TextFilter: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32
    private let sawBinary = Atomic<Bool>(false)
    private let isFinished = Atomic<Bool>(false)
    private let done = DispatchSemaphore(value: 0)

    /// Nil if there is no pipe to be had.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        readEnd = ends[0]
        writeEnd = ends[1]
        DispatchQueue.global().async { [self] in
            pass()
            done.signal()
        }
    }

    /// Where the plaintext goes.
    var endpoint: FileEndpoint { .descriptor(descriptor) }
    var descriptor: Int32 { writeEnd }

    /// Waits until all is shown.
    /// - Returns: whether it was stopped.
    func finish() -> Bool {
        if !isFinished.exchange(true, ordering: .relaxed) {
            _ = close(writeEnd)
            done.wait()
        }
        return sawBinary.load(ordering: .relaxed)
    }

    private func pass() {
        var text = TerminalText()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = readBytes(readEnd, into: &buffer, at: 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            guard let harmless = text.pass(Array(buffer.prefix(count))), writeAll(harmless, to: STDOUT_FILENO) else {
                sawBinary.store(true, ordering: .relaxed)
                break
            }
        }
        if !text.isComplete { sawBinary.store(true, ordering: .relaxed) }
        // The writer gets EPIPE from here on.
        _ = close(readEnd)
    }
}
