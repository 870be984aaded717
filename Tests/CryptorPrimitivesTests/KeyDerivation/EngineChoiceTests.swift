#if Lanes
import CryptorPrimitives
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// The lanes derive keys where they are right, fast and allowed. Otherwise OpenSSL does.
@Suite struct EngineChoiceTests {
    private func choice(
        environment: String? = nil, optimized: Bool = true, isDefault: Bool = true,
        work: Bool = true
    ) -> PBKDF2.Engine {
        .preferred(
            environment: environment, areLanesOptimized: optimized,
            derivesByDefaultProvider: isDefault, doLanesWork: work)
    }

    /// The environment may ask for slow lanes, but not for wrong or forbidden ones.
    @Test func lanesUnlessSomethingSpeaksAgainstThem() {
        for engine in [
            choice(), choice(environment: ""), choice(environment: "0", optimized: false),
        ] {
            #expect(engine == .lanes)
        }
        for engine in [
            choice(environment: "1"), choice(isDefault: false), choice(work: false),
            choice(optimized: false),
            choice(environment: "0", isDefault: false), choice(environment: "0", work: false),
        ] {
            #expect(engine == .openSSL)
        }
    }

    /// The self-test notices any wrong byte of a key, and any two keys that have changed places, as
    /// keys of mixed-up lanes would.
    @Test(arguments: PBKDF2.Engine.allCases.filter { $0 != .openSSL && $0.isAvailable })
    func theSelfTestPassesAndCanFail(engine: PBKDF2.Engine) throws {
        let keys = PBKDF2.Engine.openSSL.selfTestKeys()
        #expect(keys.count == 16 && engine.passesSelfTest())
        for index in 0..<PBKDF2.keyByteCount {
            var wrong = keys[0].plain
            wrong[index] ^= 1
            let expected = [SecretBytes(wrong)] + keys.dropFirst()
            #expect(!engine.passesSelfTest(expecting: expected), "byte \(index)")
        }
        for first in keys.indices {
            for second in first + 1..<keys.count {
                var mixed = keys
                mixed.swapAt(first, second)
                #expect(!engine.passesSelfTest(expecting: mixed), "\(first) and \(second)")
            }
        }
    }

    /// The available engines are those that fit what the system says of the processor.
    @Test func whatIsAvailable() throws {
        for engine in [PBKDF2.Engine.openSSL, .lanes, .portableLanes] {
            #expect(engine.isAvailable, "\(engine)")
        }
        #if os(Linux) && arch(x86_64)
        let lines = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8).split(
            separator: "\n")
        let flags =
            lines.first { $0.hasPrefix("flags") }.map {
                Set($0.split(whereSeparator: \.isWhitespace))
            } ?? []
        #expect(PBKDF2.Engine.shaLanes.isAvailable == flags.isSuperset(of: ["sha_ni", "sse4_1"]))
        #expect(PBKDF2.Engine.avx512Lanes.isAvailable == flags.contains("avx512f"))
        #elseif os(Linux) && arch(arm64)
        // Pairs of a type and a value. 16 is AT_HWCAP, whose bit 5 is HWCAP_SHA1.
        let entries = try Data(contentsOf: URL(filePath: "/proc/self/auxv")).withUnsafeBytes {
            Array($0.bindMemory(to: UInt.self))
        }
        let capabilities = stride(from: 0, to: entries.count - 1, by: 2)
            .first { entries[$0] == 16 }
            .map { entries[$0 + 1] }
        #expect(PBKDF2.Engine.armLanes.isAvailable == (try #require(capabilities) >> 5 & 1 == 1))
        #elseif arch(arm64)
        #expect(PBKDF2.Engine.armLanes.isAvailable)
        #endif
        #if !arch(x86_64)
        #expect(!PBKDF2.Engine.shaLanes.isAvailable && !PBKDF2.Engine.avx512Lanes.isAvailable)
        #endif
        #if !arch(arm64)
        #expect(!PBKDF2.Engine.armLanes.isAvailable)
        #endif
    }

    @Test func theEnvironmentIsHeeded() async {
        await #expect(processExitsWith: .success) {
            setenv("CRYPTORFORMAT_OPENSSL_KDF", "1", 1)
            precondition(PBKDF2.Engine.preferred == .openSSL)
        }
        await #expect(processExitsWith: .success) {
            setenv("CRYPTORFORMAT_OPENSSL_KDF", "0", 1)
            precondition(PBKDF2.Engine.preferred == .lanes)
        }
        await #expect(processExitsWith: .success) {
            unsetenv("CRYPTORFORMAT_OPENSSL_KDF")
            precondition(
                PBKDF2.Engine.preferred == (PBKDF2.Engine.areLanesOptimized ? .lanes : .openSSL))
        }
    }
}
#endif
