import CCryptorProbe
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@Suite struct SecretBytesTests {
    private struct Interruption: Error {}

    #if os(Linux)
    /// All bytes of a secret are cleansed when it goes, and also if it is never finished.
    @Test(arguments: [1, 15, 16, 31, 32, 33, 64, 300], [false, true])
    func everyByteIsCleansed(size: Int, isUnfinished: Bool) {
        nonisolated(unsafe) var address: UnsafeRawPointer?
        _ = try? SecretBytes(count: size) { output in
            output.withUnsafeMutableBytes { buffer, _ in address = UnsafeRawPointer(buffer.baseAddress) }
            for _ in 0..<size { output.append(0xA7) }
            if isUnfinished { throw Interruption() }
        }
        var count = 0
        #expect(probe_last_cleansed(&count) == address)
        #expect(count == size)
    }
    #endif

    @Test func nothingIsPrinted() {
        let secret = SecretBytes(Array("tr0ub4dor".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        let texts = [secret.description, String(describing: secret), String(reflecting: secret), "\(secret)", dumped]
        for text in texts {
            #expect(!text.contains("tr0ub4dor"))
            #expect(!text.contains("116"), "the decimal code of t")
            #expect(!text.contains(Array("tr0".utf8).hex))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    #if os(Linux)
    /// Memory that is kept outside of Swift's objects, hundreds of megabytes in total, is freed.
    @Test(.disabled(if: Sanitizer.watchesMemory, "sanitizers keep what was freed")) func memoryIsGivenBack() async {
        await #expect(processExitsWith: .success) {
            let before = try ProcessMemory.peak.byteCount()
            func expectNothingMore(of kind: String) throws {
                let more = try ProcessMemory.peak.byteCount() - before
                precondition(more < 100 << 20, "\(kind): \(more)")
            }
            for _ in 0..<100_000 { _ = SecretBytes([UInt8](repeating: 1, count: 2000)) }
            try expectNothingMore(of: "secrets")
            for _ in 0..<2_000_000 { _ = Lock(1) }
            try expectNothingMore(of: "locks")
            let key = SecretBytes([UInt8](repeating: 1, count: 32))
            for _ in 0..<30_000 {
                let pool = ContextPool(encryptionKey: key, hmacKey: key)
                try pool.withContext { _ in }
            }
            try expectNothingMore(of: "contexts")
        }
    }
    #endif
}
