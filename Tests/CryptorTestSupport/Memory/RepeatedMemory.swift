import Foundation

/// A long range of addresses in which the same few MiB of memory repeat. It has room for more than 2 GiB of output,
/// takes no more memory than `windowByteCount`, and holds the end of the output afterwards.
package final class RepeatedMemory {
    package static let windowByteCount = 16 << 20

    package let buffer: UnsafeMutableRawBufferPointer

    /// - Parameter byteCount: a multiple of `windowByteCount`.
    package init(byteCount: Int) throws {
        precondition(byteCount % Self.windowByteCount == 0)
        var path = Array("\(NSTemporaryDirectory())/repeated-memory-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw SystemFailure("mkstemp") }
        defer { close(file) }
        unlink(path)
        guard ftruncate(file, off_t(Self.windowByteCount)) == 0 else { throw SystemFailure("ftruncate") }

        let start = try Self.map(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1)
        buffer = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        for offset in stride(from: 0, to: byteCount, by: Self.windowByteCount) {
            let window = start.advanced(by: offset)
            _ = try Self.map(window, Self.windowByteCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file)
        }
    }

    deinit { munmap(buffer.baseAddress, buffer.count) }

    fileprivate static func map(
        _ place: UnsafeMutableRawPointer?, _ byteCount: Int, _ protection: CInt, _ flags: CInt, _ file: CInt
    ) throws -> UnsafeMutableRawPointer {
        let address = mmap(place, byteCount, protection, flags, file, 0)
        guard let address, address != MAP_FAILED else { throw SystemFailure("mmap") }
        return address
    }
}

/// Zeros that are read and never written, and so take no memory of their own.
package final class Zeros {
    private let buffer: UnsafeRawBufferPointer

    package init(byteCount: Int) throws {
        let start = try RepeatedMemory.map(nil, byteCount, PROT_READ, MAP_PRIVATE | MAP_ANON, -1)
        buffer = UnsafeRawBufferPointer(start: start, count: byteCount)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count) }

    package func withRawSpan(_ body: (RawSpan) throws -> Void) rethrows { try body(buffer.bytes) }
}

/// A system call that failed.
package struct SystemFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ function: String) { description = "\(function): \(String(cString: strerror(errno)))" }
}
