import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// The memory belongs to the caller, or is freed if there is a failure.
@Suite struct HeapBytesTests {
    #if os(Linux)
    @Test func freedAfterAFailure() async {
        await #expect(processExitsWith: .success) {
            let byteCount = 4 << 20
            for _ in 0..<800 {
                _ = try? heapBytes(capacity: byteCount) { (output) throws(OpenSSLError) in
                    output.withUnsafeMutableBytes { bytes, count in
                        bytes.initializeMemory(as: UInt8.self, repeating: 1)
                        count = byteCount
                    }
                    throw OpenSSLError(function: "none", reason: nil)
                }
            }
            // 3.3 GB were written, and most of that was freed.
            let peak = try ProcessMemory.peak.byteCount()
            precondition(peak < 800 << 20, "\(peak)")
        }
    }
    #endif

    @Test func asManyAsWereWritten() throws {
        let memory = heapBytes(capacity: 16) { output in
            output.append(repeating: 7, count: 9, as: UInt8.self)
        }
        defer { free(memory.baseAddress) }
        #expect(Array(memory) == [UInt8](repeating: 7, count: 9))
    }
}
