import CSupport

/// The bytes of a file, mapped to be compared.
struct MappedFile: ~Copyable {
    private let bytes: UnsafeRawBufferPointer

    init(_ path: String) throws(BenchmarkError) {
        var count = 0
        guard let start = support_map(path, &count) else { throw .failed("\(path): it cannot be read") }
        bytes = UnsafeRawBufferPointer(start: start, count: count)
    }

    deinit {
        support_unmap(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    var count: Int { bytes.count }

    func equals(_ other: borrowing MappedFile) -> Bool { bytes.equals(other.bytes) }

    func isMessage(of plaintext: borrowing MappedFile, _ primitives: Primitives) -> Bool {
        primitives.message(bytes, holds: plaintext.bytes)
    }
}
