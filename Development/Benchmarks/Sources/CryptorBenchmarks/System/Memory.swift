import Foundation

/// Bytes at a fixed address.
final class Memory {
    let bytes: UnsafeMutableRawBufferPointer

    /// Allocates memory and writes to every page of it.
    /// - Parameter seed: what the bytes are computed from; 0 for zeros.
    init(byteCount: Int, seed: UInt64 = 0) {
        bytes = .allocate(byteCount: byteCount, alignment: 16)
        clear()
        guard seed != 0 else { return }
        var state = seed
        for offset in stride(from: 0, through: byteCount - 8, by: 8) {
            // The generator of Numerical Recipes. No result depends on the values of the bytes.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.storeBytes(of: state, toByteOffset: offset, as: UInt64.self)
        }
    }

    deinit {
        bytes.deallocate()
    }

    var count: Int { bytes.count }
    var readable: UnsafeRawBufferPointer { UnsafeRawBufferPointer(bytes) }
    var array: [UInt8] { Array(bytes) }

    /// Fills the memory with zeros, so that a check cannot find the result of an earlier run.
    func clear() {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    func starts(with other: UnsafeRawBufferPointer) -> Bool {
        guard count >= other.count, let mine = bytes.baseAddress, let others = other.baseAddress
        else {
            return other.isEmpty
        }
        return memcmp(mine, others, other.count) == 0
    }
}
