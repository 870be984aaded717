import Foundation
import Synchronization

/// A file that is mapped into memory (`mmap(2)`) while another thread writes to it: one bit at a
/// time is flipped, here and there, and flipped back.
package final class AlteredFile: Sendable {
    private struct Mapping: @unchecked Sendable {
        let bytes: UnsafeMutableRawBufferPointer
    }

    /// The file as its reader sees it.
    nonisolated(unsafe) package let bytes: UnsafeRawBufferPointer
    package let path: String
    private let written: Mapping
    private let isOver = Atomic<Bool>(false)
    private let begin = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - range: where bits are flipped.
    ///   - path: of a new file.
    package init(_ contents: [UInt8], altering range: Range<Int>, at path: String) throws {
        self.path = path
        try Data(contents).write(to: URL(fileURLWithPath: path))
        bytes = UnsafeRawBufferPointer(try Self.map(path, contents.count, PROT_READ))
        written = Mapping(bytes: try Self.map(path, contents.count, PROT_READ | PROT_WRITE))
        let seed = SeededGenerator()
        Thread { [self] in
            var generator = seed
            begin.signal()
            while !isOver.load(ordering: .relaxed) {
                let offset = Int.random(in: range, using: &generator)
                let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
                for _ in 0..<2 {
                    written.bytes[offset] ^= bit
                    for _ in 0..<20 { _ = isOver.load(ordering: .sequentiallyConsistent) }
                }
            }
            end.signal()
        }.start()
        begin.wait()
    }

    /// Waits for the other thread, and unmaps the file.
    package func close() {
        isOver.store(true, ordering: .relaxed)
        end.wait()
        munmap(written.bytes.baseAddress, written.bytes.count)
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }

    private static func map(
        _ path: String, _ count: Int, _ protection: CInt
    ) throws -> UnsafeMutableRawBufferPointer {
        let file = open(path, protection & PROT_WRITE == 0 ? O_RDONLY : O_RDWR)
        defer { Foundation.close(file) }
        let start = mmap(nil, count, protection, MAP_SHARED, file, 0)
        guard file >= 0, let start, start != MAP_FAILED else { throw SystemFailure("mmap") }
        return UnsafeMutableRawBufferPointer(start: start, count: count)
    }
}

/// Counts what becomes of a message that is altered while it is read: its own plaintext, or a
/// refusal. Anything else is a flaw.
package struct Readings {
    package var authentic = 0
    package var refused = 0
    package var flaws: [String] = []

    package init() {}

    /// - Parameter isRefusal: whether an error says that the message is not authentic.
    package mutating func read(
        _ plaintext: [UInt8], isRefusal: (any Error) -> Bool, _ body: () throws -> [UInt8]
    ) {
        do {
            let read = try body()
            // Comparing the elements takes long without optimisation.
            if read.count == plaintext.count, memcmp(read, plaintext, read.count) == 0 {
                authentic += 1
            } else {
                flaws.append("an altered plaintext of \(read.count) bytes")
            }
        } catch {
            if isRefusal(error) { refused += 1 } else { flaws.append("\(error)") }
        }
    }
}
