import Foundation
import Synchronization

/// Feeds a pipe, or a FIFO, on a thread of its own.
package final class PipeWriter {
    /// The end of the pipe to read from; nil for a FIFO.
    package let readEnd: CInt?

    /// Feeds a new pipe.
    /// - Parameter chunkByteCount: how much is written at a time.
    package init(_ bytes: [UInt8], inChunksOf chunkByteCount: Int = .max) throws {
        let ends = try pipeEnds()
        readEnd = ends.read
        Self.write(bytes, chunkByteCount) { ends.write }
    }

    /// Feeds the FIFO at `path`, once somebody reads from it.
    package init(_ bytes: [UInt8], intoFIFO path: String) {
        readEnd = nil
        Self.write(bytes, .max) { open(path, O_WRONLY | O_CLOEXEC) }
    }

    // A thread that is still writing finds the pipe broken.
    deinit { if let readEnd { close(readEnd) } }

    private static func write(
        _ bytes: [UInt8], _ chunkByteCount: Int, to open: @escaping @Sendable () -> CInt
    ) {
        Thread.detachNewThread {
            // A broken pipe must be an error of this thread only, not a signal that ends the tests.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            let file = open()
            defer { close(file) }
            var offset = 0
            while offset < bytes.count {
                let count = bytes[offset...].prefix(chunkByteCount).withUnsafeBytes {
                    Foundation.write(file, $0.baseAddress, $0.count)
                }
                guard count > 0 else { return }
                offset += count
            }
        }
    }
}

/// Reads a pipe, or a FIFO, to its end on a thread of its own.
package final class PipeReader {
    /// The end of the pipe to write to; nil for a FIFO.
    package let writeEnd: CInt?
    private var isClosed = false
    private let received = Notes<UInt8>()
    private let isWhole = DispatchSemaphore(value: 0)

    /// Reads a new pipe.
    package init() throws {
        let ends = try pipeEnds()
        writeEnd = ends.write
        read { ends.read }
    }

    /// Reads the FIFO at `path`, once somebody writes to it.
    package init(fifo path: String) {
        writeEnd = nil
        read { open(path, O_RDONLY | O_CLOEXEC) }
    }

    deinit { closeWriteEnd() }

    private func read(from open: @escaping @Sendable () -> CInt) {
        Thread.detachNewThread { [received, isWhole] in
            let file = open()
            var chunk = [UInt8](repeating: 0, count: 64 * 1024)
            while case let count = Foundation.read(file, &chunk, chunk.count), count > 0 {
                received.add(contentsOf: chunk[..<count])
            }
            close(file)
            isWhole.signal()
        }
    }

    /// Closes the write end, reads the pipe to its end, and returns all that was written.
    package func finish() throws -> [UInt8] {
        closeWriteEnd()
        // The limit turns a hang into a failure.
        guard isWhole.wait(timeout: .now() + 300) == .success else {
            throw VectorError("nobody closed the other end of the pipe")
        }
        return received.all
    }

    private func closeWriteEnd() {
        guard let writeEnd, !isClosed else { return }
        close(writeEnd)
        isClosed = true
    }
}

/// Makes a pipe. Processes that other tests start meanwhile do not inherit its ends: they would
/// keep it open.
private func pipeEnds() throws -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    let status = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard status == 0 else { throw SystemFailure("pipe") }
    return (ends[0], ends[1])
}
