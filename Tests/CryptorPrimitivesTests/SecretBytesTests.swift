import CryptorPrimitives
import Synchronization
import CryptorTestSupport
import Testing

@Suite struct SecretBytesTests {
    /// The memory of a secret, seen after it was cleansed and before it is freed.
    private final class Remains: Sendable {
        private let seen = Mutex<[UInt8]?>(nil)
        var bytes: [UInt8]? { seen.withLock { $0 } }
        func note(_ bytes: [UInt8]) { seen.withLock { $0 = bytes } }
    }

    private struct Interruption: Error {}

    static let sizes = [1, 15, 16, 31, 32, 33, 64, 300]

    @Test(arguments: sizes)
    func everyByteIsZeroBeforeTheMemoryIsGivenBack(size: Int) throws {
        let remains = Remains()
        var secret: SecretBytes? = SecretBytes([UInt8](repeating: 0xA7, count: size), didCleanse: remains.note)
        #expect(secret?.plain == [UInt8](repeating: 0xA7, count: size))
        #expect(remains.bytes == nil, "cleansed while in use")
        secret = nil
        #expect(try #require(remains.bytes, "never cleansed") == [UInt8](repeating: 0, count: size))
    }

    @Test(arguments: sizes)
    func aCopiedSecretIsCleansedToo(size: Int) throws {
        let remains = Remains()
        withRawSpan(of: [UInt8](repeating: 0xA7, count: size)) { bytes in
            let secret = SecretBytes(copying: bytes, didCleanse: remains.note)
            #expect(secret.count == size)
        }
        #expect(try #require(remains.bytes, "never cleansed") == [UInt8](repeating: 0, count: size))
    }

    @Test(arguments: sizes)
    func aSecretThatWasNeverFinishedIsCleansedToo(size: Int) throws {
        let remains = Remains()
        #expect(throws: Interruption.self) {
            _ = try SecretBytes(count: size, didCleanse: remains.note) { output in
                for _ in 0..<size { output.append(0xA7) }
                throw Interruption()
            }
        }
        #expect(try #require(remains.bytes, "never cleansed") == [UInt8](repeating: 0, count: size))
    }

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
