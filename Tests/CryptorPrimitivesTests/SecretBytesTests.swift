import CCryptorProbe
import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives

@Suite struct SecretBytesTests {
    private struct Interruption: Error {}

    /// No random block is handed out twice, and no two segments have one nonce.
    @Test func nothingRepeats() throws {
        var supply = IVSupply()
        #expect(try Set((0..<100).map { _ in Array(try supply.next()) }).count == 100)
        var authenticator = try GMACAuthenticator(
            key: SecretBytes([UInt8](repeating: 1, count: 32)))
        let digests = try (0..<UInt64(600)).map { number in
            try authenticator.tag(number, of: RawSpan(), RawSpan()).plain
        }
        #expect(Set(digests).count == 600)
    }

    #if os(Linux)
    /// All bytes of a secret are cleansed when it goes, and also if it is never finished.
    @Test(arguments: [1, 15, 16, 31, 32, 33, 64, 300], [false, true])
    func everyByteIsCleansed(size: Int, isUnfinished: Bool) {
        nonisolated(unsafe) var address: UnsafeRawPointer?
        _ = try? SecretBytes(count: size) { output in
            output.withUnsafeMutableBytes { buffer, _ in
                address = UnsafeRawPointer(buffer.baseAddress)
            }
            for _ in 0..<size { output.append(0xA7) }
            if isUnfinished { throw Interruption() }
        }
        var count = 0
        #expect(probe_last_cleansed(&count) == address)
        #expect(count == size)
    }

    /// Memory that is kept outside of Swift's objects, hundreds of megabytes in total, is freed.
    @Test(.disabled(if: Sanitizer.watchesMemory, "sanitizers keep what was freed"))
    func memoryIsGivenBack() async {
        await #expect(processExitsWith: .success) {
            /// The most memory that the process has had at a time, in KiB (proc_pid_status(5)).
            func peak() throws -> Int {
                let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(
                    separator: "\n")
                return Int(lines.first { $0.hasPrefix("VmHWM:") }?.filter(\.isNumber) ?? "") ?? .max
                    / 2
            }
            let key = SecretBytes([UInt8](repeating: 1, count: 32))
            func useContext() throws {
                try KeyPair(encryptionKey: key, hmacKey: key, keepsEngines: true).prepare()
            }
            // What OpenSSL keeps for ever is not lost.
            try useContext()
            var before = try peak()
            func expectNothingMore(of kind: String, limit: Int = 20 << 10) throws {
                let more = try peak() - before
                precondition(more < limit, "\(kind): \(more)")
                before += more
            }
            for _ in 0..<100_000 { _ = SecretBytes([UInt8](repeating: 1, count: 2000)) }
            try expectNothingMore(of: "secrets")
            for _ in 0..<2_000_000 { _ = Lock(1) }
            try expectNothingMore(of: "locks")
            let here = try FilePath(".".utf8)
            for _ in 0..<300_000 { _ = try FileSystem.realPath(of: here) }
            try expectNothingMore(of: "paths")
            for _ in 0..<30_000 { try useContext() }
            try expectNothingMore(of: "contexts", limit: 3 << 10)
            for _ in 0..<200 {
                _ = try? heapBytes(capacity: 1 << 20) { (output) throws(OpenSSLError) in
                    output.withUnsafeMutableBytes { bytes, _ in
                        _ = bytes.initializeMemory(as: UInt8.self, repeating: 1)
                    }
                    throw OpenSSLError(failed: "none")
                }
            }
            try expectNothingMore(of: "bytes of failures")
        }
    }
    #endif
}
