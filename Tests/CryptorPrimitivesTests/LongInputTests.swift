import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives

/// OpenSSL takes lengths as `int`. One call with more than `Int32.max` bytes must do what many
/// short calls do: what Python's hmac and `openssl enc` make of as many zeros.
@Suite struct LongInputTests {
    private static let windowByteCount = 16 << 20
    private static let byteCount = (2 << 30) + 2 * windowByteCount

    private let key = SecretBytes(Array(0..<32))
    private let zeros: UnsafeRawBufferPointer
    /// A long range of addresses in which the same few MiB of memory repeat. It has room for all
    /// output, and holds the end of it afterwards.
    private let memory: UnsafeMutableRawBufferPointer

    init() throws {
        func map(_ place: UnsafeMutableRawPointer?, _ count: Int, _ flags: CInt, _ file: CInt)
            throws
            -> UnsafeMutableRawPointer
        {
            let address = mmap(
                place, count, PROT_READ | (file < 0 ? 0 : PROT_WRITE), flags, file, 0)
            return try #require(address == MAP_FAILED ? nil : address)
        }
        // Zeros that are read and never written take no memory.
        let none = MAP_PRIVATE | MAP_ANON
        zeros = UnsafeRawBufferPointer(
            start: try map(nil, Self.byteCount, none, -1), count: Self.byteCount)
        var path = Array("\(NSTemporaryDirectory())/repeated-memory-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        defer { close(file) }
        unlink(path)
        try #require(ftruncate(file, off_t(Self.windowByteCount)) == 0)
        let start = try map(nil, Self.byteCount, none, -1)
        for offset in stride(from: 0, to: Self.byteCount, by: Self.windowByteCount) {
            _ = try map(start + offset, Self.windowByteCount, MAP_SHARED | MAP_FIXED, file)
        }
        memory = UnsafeMutableRawBufferPointer(start: start, count: Self.byteCount)
    }

    /// One test, because each has these addresses to itself.
    @Test func moreThanTwoGiBInOneCall() throws {
        defer {
            munmap(memory.baseAddress, memory.count)
            munmap(UnsafeMutableRawPointer(mutating: zeros.baseAddress), zeros.count)
        }
        var authenticator = try HMACAuthenticator(key: key)
        try authenticator.update(zeros.bytes)
        let code = try authenticator.finish()
        #expect(code.hex == "7b50580a0a1bdf7d501f7385dae362f4f5fa37bb8a2f62cacd68b97fc215b7b1")

        for (direction, end) in [
            (
                AESCipher.Direction.encrypt,
                "11de24ff44c0873382573feb29b93fdc04d078303c3ce9d4fa55219fba9ce5c7"
            ),
            (.decrypt, "6d9f08eb2a2e277ab48984cff1ab9a096d9f08eb2a2e277ab48984cff1ab9a09"),
        ] {
            var cipher = try AESCipher(direction, key: key, iv: Array(0..<16))
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            try cipher.update(zeros.bytes, into: &output)
            #expect(
                output.byteCount == Self.byteCount && memory.suffix(32).hex == end, "\(direction)")
        }
        // Long texts are encoded in parts, none of which has padding in the middle of the text.
        for count in [(2 << 28) + 1, (3 << 28) + 3] {
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            Base64Blocks.encode(zeros.bytes.extracting(first: count), into: &output)
            #expect(output.byteCount == (count + 2) / 3 * 4)
        }
    }
}
