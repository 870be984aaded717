import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A pipe; what is written to it is read on another thread and thrown away.
final class Drain {
    /// Where to write.
    let descriptor: CInt
    private let isDone = DispatchSemaphore(value: 0)

    init() {
        var ends: [CInt] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe can be made")
        descriptor = ends[1]
        DispatchQueue.global(qos: .userInitiated).async { [isDone, source = ends[0]] in
            var buffer = [UInt8](repeating: 0, count: 256 * 1024)
            while read(source, &buffer, buffer.count) > 0 {}
            close(source)
            isDone.signal()
        }
    }

    /// Waits until all has been read.
    func finish() {
        close(descriptor)
        isDone.wait()
    }
}
