import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A pipe whose bytes are read on another thread and thrown away.
final class Drain {
    /// The end to write to.
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

    /// Asks for a pipe with room for 256 KiB, as the library does. The user's limit may forbid that (pipe(7)).
    func write(_ memory: Memory, times: Int) throws(BenchmarkError) {
        #if canImport(Glibc)
        let setPipeSize: CInt = 1031
        _ = fcntl(descriptor, setPipeSize, CInt(256 * 1024))
        #endif
        for _ in 0..<times {
            var rest = memory.readable[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(256 * 1024))
                let count = systemWrite(descriptor, part.baseAddress, part.count)
                try check(count > 0, "the pipe cannot be written to")
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Waits until everything has been read.
    func finish() {
        close(descriptor)
        isDone.wait()
    }
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
