import CryptorFormat
import Foundation

/// Random numbers that can be repeated with their seed (SplitMix64). Every failure names the seed;
/// set `CRYPTORFORMAT_TEST_SEED` to it to see the failure again.
package struct SeededGenerator: RandomNumberGenerator, Sendable, CustomStringConvertible {
    /// The one seed of this process, so that one variable repeats all of its tests in any order.
    package static let processSeed: UInt64 = {
        guard let text = ProcessInfo.processInfo.environment["CRYPTORFORMAT_TEST_SEED"] else {
            return .random(in: 0...UInt64.max)
        }
        guard let seed = UInt64(text) else {
            preconditionFailure("CRYPTORFORMAT_TEST_SEED is no number: \(text)")
        }
        return seed
    }()

    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64 = processSeed) {
        self.seed = seed
        self.state = seed
    }

    package var description: String { "seed \(seed)" }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    package mutating func messageKeys() throws -> MessageKeys {
        try MessageKeys(
            encryptionKey: bytes(MessageKeys.keyByteCount), hmacKey: bytes(MessageKeys.keyByteCount)
        )
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
