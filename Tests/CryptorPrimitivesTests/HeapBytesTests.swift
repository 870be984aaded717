import Foundation
import Testing

@testable import CryptorPrimitives

/// Whatever becomes of the bytes, their memory comes back.
@Suite struct HeapBytesTests {
    @Test func whatIsNotReleasedIsFreed() async {
        await #expect(processExitsWith: .success) {
            let byteCount = 4 << 20
            for fails in [false, true] {
                for _ in 0..<400 {
                    _ = try? HeapBytes(capacity: byteCount) { (output) throws(OpenSSLError) in
                        output.withUnsafeMutableBytes { bytes, count in
                            memset(bytes.baseAddress, 1, byteCount)
                            count = byteCount
                        }
                        if fails { throw OpenSSLError(function: "none") }
                    }
                }
                var usage = rusage()
                precondition(getrusage(RUSAGE_SELF, &usage) == 0)
                // Linux tells kibibytes, others bytes; 1.6 GB were written.
                precondition(usage.ru_maxrss < 800 << 10 || usage.ru_maxrss > 1 << 24 && usage.ru_maxrss < 800 << 20)
            }
        }
    }

    @Test func whatIsReleasedIsTheCallers() throws {
        let bytes = HeapBytes(capacity: 16) { output in
            output.append(repeating: 7, count: 9, as: UInt8.self)
        }
        let memory = bytes.release()
        defer { free(memory.baseAddress) }
        #expect(Array(memory) == [UInt8](repeating: 7, count: 9))
    }
}
