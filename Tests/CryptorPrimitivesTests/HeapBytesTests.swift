import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// The memory of the bytes is freed, whatever happens to them.
@Suite struct HeapBytesTests {
    #if os(Linux)
    @Test func whatIsNotReleasedIsFreed() async {
        await #expect(processExitsWith: .success) {
            let byteCount = 4 << 20
            for fails in [false, true] {
                for _ in 0..<400 {
                    _ = try? HeapBytes(capacity: byteCount) { (output) throws(OpenSSLError) in
                        output.withUnsafeMutableBytes { bytes, count in
                            bytes.initializeMemory(as: UInt8.self, repeating: 1)
                            count = byteCount
                        }
                        if fails { throw OpenSSLError(function: "none") }
                    }
                }
                // 3.3 GB were written, and most of that was freed.
                let peak = try ProcessMemory.peak.byteCount()
                precondition(peak < 800 << 20, "\(peak)")
            }
        }
    }
    #endif

    @Test func whatIsReleasedIsTheCallers() throws {
        let bytes = HeapBytes(capacity: 16) { output in
            output.append(repeating: 7, count: 9, as: UInt8.self)
        }
        let memory = bytes.release()
        defer { free(memory.baseAddress) }
        #expect(Array(memory) == [UInt8](repeating: 7, count: 9))
    }
}
