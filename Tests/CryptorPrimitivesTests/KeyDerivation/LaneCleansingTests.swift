#if os(Linux) && Lanes
import CPBKDF2Lanes
import CCryptorProbe
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// Nothing that leads to a key stays behind on the stack.
@Suite(.disabled(if: Sanitizer.watchesMemory, "a sanitizer has the compiler put more on the stack"))
struct LaneCleansingTests {
    private static let password = Array(
        "a password that is sought afterwards, longer than a block of SHA-1".utf8.prefix(64))
    private static let salt = Array("8 bytes.".utf8)

    /// Each four bytes as a number, because lanes keep the words of a key apart.
    private func words(_ bytes: [UInt8]) -> Set<UInt32> {
        Set(
            stride(from: 0, to: bytes.count, by: 4).map { start in
                bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            })
    }

    private func wordsOnStack(_ stack: [UInt8]) -> Set<UInt32> {
        stack.withUnsafeBytes { Set($0.bindMemory(to: UInt32.self)) }
    }

    /// The frame of the call itself holds nothing either, even if no later call overwrites it.
    @Test(arguments: LaneAgreementTests.engines, [1, 2, 8, 16])
    func theStackHoldsNothing(engine: PBKDF2.Engine, count: Int) throws {
        let path = try #require(engine.path)
        let password = SecretBytes(Self.password)
        let key = { iterations in
            try PBKDF2.deriveKey(
                password: password, salt: Self.salt, iterations: iterations, engine: engine
            ).plain
        }
        // The secrets are the result, the first step and HMAC's keys, in either byte order.
        let secrets = try secrets(key(2), key(1))
        let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: count * PBKDF2.keyByteCount)
        defer { keys.deallocate() }
        let found = try Self.password.withUnsafeBufferPointer { password in
            try Self.salt.withUnsafeBufferPointer { salt in
                nonisolated(unsafe) let requests = (0..<count).map { index in
                    cpbkdf2_request(
                        password: password.baseAddress, password_bytes: password.count,
                        salt: salt.baseAddress,
                        salt_bytes: salt.count, key: keys + index * PBKDF2.keyByteCount)
                }
                let derive = { atDepth(64) { cpbkdf2_derive(path, requests, count, 2) } }
                // The first call does not count: the dynamic linker saves all registers when a
                // function is called for the first time.
                _ = try stackLeft(by: derive)
                return secrets.intersection(wordsOnStack(try stackLeft(by: derive)))
            }
        }
        #expect(Array(UnsafeBufferPointer(start: keys, count: 32)) == (try key(2)))
        #expect(found.isEmpty, "\(found.count) of \(secrets.count) words")
    }

    #if arch(x86_64) || arch(arm64)
    /// Nothing stays in a register, from where the next code that saves registers would write it to
    /// memory.
    @Test(
        .enabled(
            if: canSeeRegisters, "all registers of x86 can be seen with AVX-512 only"),
        arguments: LaneAgreementTests.engines, [1, 2, 8, 16])
    func theRegistersHoldNothing(engine: PBKDF2.Engine, count: Int) throws {
        let path = try #require(engine.path)
        var registers = [UInt8](repeating: 0xFF, count: Int(PROBE_REGISTER_BYTES))
        #expect(probe_registers_after_lanes(CInt(path.rawValue), count, &registers))
        let size = registers.count / 32
        let used = (0..<32).filter { number in
            registers[number * size..<(number + 1) * size].contains { $0 != 0 }
        }
        #expect(used.isEmpty, "of \(engine), vector registers \(used)")
    }

    private static var canSeeRegisters: Bool {
        #if arch(arm64)
        true
        #else
        PBKDF2.Engine.avx512Lanes.isAvailable
        #endif
    }
    #endif

    /// The key and what leads to it, as words in either byte order.
    private func secrets(_ key: [UInt8], _ firstStep: [UInt8]) -> Set<UInt32> {
        var secrets = words(key).union(words(firstStep))
        for pad: UInt8 in [0, 0x36, 0x5C] {
            secrets.formUnion(words(Self.password.map { $0 ^ pad }))
        }
        // These are HMAC's states after its keys, which are as good as the password, and the first
        // inner digest of each chain.
        for pad: UInt8 in [0x36, 0x5C] {
            var state = [UInt32](repeating: 0, count: 5)
            probe_sha1_state(Self.password.map { $0 ^ pad }, &state)
            secrets.formUnion(state)
        }
        for block: UInt8 in [1, 2] {
            secrets.formUnion(
                words(
                    digest(
                        "SHA1", of: Self.password.map { $0 ^ 0x36 } + Self.salt + [0, 0, 0, block]))
            )
        }
        return secrets.union(secrets.map(\.byteSwapped))
    }

    /// The search finds a secret that is there.
    @Test func theSearchFinds() throws {
        let secret: UInt32 = 0x5EC2_E7ED
        let stack = try stackLeft {
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { buffer in
                buffer.initialize(repeating: secret)
                // This call fails. The compiler must believe that the bytes are used.
                _ = write(-1, buffer.baseAddress, 256)
            }
        }
        #expect(wordsOnStack(stack).contains(secret))
    }
}
#endif
