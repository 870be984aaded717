import CPBKDF2Lanes

extension PBKDF2 {
    /// An implementation of the iterations. All engines derive the same keys.
    package enum Engine: Sendable, Hashable, CaseIterable {
        /// `PKCS5_PBKDF2_HMAC(3)`, one chain after the other: the reference.
        case openSSL
        /// The fastest of the following for the number of keys.
        case lanes
        /// Four chains in the compiler's vectors.
        case portableLanes
        /// Two or four chains over x86's SHA instructions.
        case shaLanes
        /// Sixteen or thirty-two chains in AVX-512.
        case avx512Lanes

        /// The number of this path in C; nil for OpenSSL.
        var path: cpbkdf2_path? {
            switch self {
            case .openSSL: nil
            case .lanes: cpbkdf2_automatic
            case .portableLanes: cpbkdf2_portable
            case .shaLanes: cpbkdf2_sha
            case .avx512Lanes: cpbkdf2_avx512
            }
        }

        /// Whether this processor has the instructions.
        package var isAvailable: Bool { path.map(cpbkdf2_is_available) ?? true }
    }
}

extension PBKDF2.Engine {
    /// Whether the lanes were compiled with optimisation. Without it, OpenSSL is faster.
    package static var areLanesOptimized: Bool { cpbkdf2_is_optimized() }

    /// The engine that derives keys unless the caller names another.
    package static var preferred: PBKDF2.Engine {
        preferred(
            environment: environment, areLanesOptimized: areLanesOptimized,
            // Checked each time, since a process can turn FIPS mode on.
            isFIPSEnabled: Algorithm.isFIPSEnabled, doLanesWork: lanesWork)
    }

    /// - Parameters:
    ///   - environment: the value of `CRYPTORFORMAT_OPENSSL_KDF`: 1 asks for OpenSSL, 0 for the lanes even where they
    ///     were compiled without optimisation, which makes them slower than OpenSSL.
    ///   - isFIPSEnabled: whether only validated code may run.
    ///   - doLanesWork: whether the lanes pass their self-test.
    package static func preferred(
        environment: String?, areLanesOptimized: Bool, isFIPSEnabled: Bool, doLanesWork: @autoclosure () -> Bool
    ) -> PBKDF2.Engine {
        guard !isFIPSEnabled, environment != "1", areLanesOptimized || environment == "0", doLanesWork() else {
            return .openSSL
        }
        return .lanes
    }

    /// Read only once: later, another thread may change the environment, and reading it meanwhile is not safe.
    private static let environment = getenv("CRYPTORFORMAT_OPENSSL_KDF").map { String(cString: $0) }

    /// Whether all available lanes pass their self-test, which runs once per process.
    private static let lanesWork = allCases.allSatisfy { engine in
        engine == .openSSL || !engine.isAvailable || engine.passesSelfTest()
    }

    /// Whether two, four, sixteen and thirty-two lanes derive the published keys and keep those of different passwords
    /// apart. Takes less than a millisecond.
    package func passesSelfTest() -> Bool {
        let password = SecretBytes(copying: "password".utf8.span.bytes)
        let request = PBKDF2.Request(password: password, salt: Array("salt".utf8))
        let key = SecretBytes(copying: Self.expectedKey.span.bytes)
        let isRight = Self.laneKeyCounts.allSatisfy { count in
            derives(
                [SecretBytes](repeating: key, count: count), for: [PBKDF2.Request](repeating: request, count: count),
                iterations: 2)
        }
        guard isRight else { return false }
        // If OpenSSL refuses these requests because of its own limits, that says nothing about the lanes.
        guard let mixedKeys = try? Self.mixedKeys() else { return true }
        return keepsApart(mixedKeys)
    }

    /// The numbers of keys that two, four, sixteen and thirty-two lanes derive.
    private static let laneKeyCounts = [1, 2, 8, 16]

    /// Passwords and salts that all differ. One password is longer than a block of SHA-1.
    private static var mixture: [PBKDF2.Request] {
        (0..<16).map { (index: UInt8) in
            let password = [UInt8](repeating: index, count: index == 3 ? 65 : 1 + Int(index))
            return PBKDF2.Request(
                password: SecretBytes(copying: password.span.bytes), salt: [UInt8](repeating: ~index, count: 8))
        }
    }

    private static let mixedIterationCount = 3

    /// OpenSSL's keys for the mixture.
    package static func mixedKeys() throws(OpenSSLError) -> [SecretBytes] {
        try PBKDF2.deriveKeys(for: mixture, iterations: mixedIterationCount, engine: .openSSL)
    }

    /// Whether each lane derives the key of its own password and salt, after several iterations.
    package func keepsApart(_ expected: [SecretBytes]) -> Bool {
        let mixture = Self.mixture
        return Self.laneKeyCounts.allSatisfy { count in
            derives(
                Array(expected.prefix(count)), for: Array(mixture.prefix(count)), iterations: Self.mixedIterationCount)
        }
    }

    private func derives(_ expected: [SecretBytes], for requests: [PBKDF2.Request], iterations: Int) -> Bool {
        guard let keys = try? PBKDF2.deriveKeys(for: requests, iterations: iterations, engine: self) else {
            return false
        }
        return keys.count == expected.count
            && zip(keys, expected).allSatisfy { key, expected in
                key.withRawSpan { key in expected.withRawSpan { constantTimeEqual(key, $0) } }
            }
    }

    /// The key that the lanes must derive in the self-test. Tests set a wrong one.
    @TaskLocal package static var expectedKey = knownKey

    /// RFC 6070's key for "password", "salt" and two iterations, continued to 32 bytes.
    package static let knownKey: [UInt8] = [
        0xea, 0x6c, 0x01, 0x4d, 0xc7, 0x2d, 0x6f, 0x8c, 0xcd, 0x1e, 0xd9, 0x2a, 0xce, 0x1d, 0x41, 0xf0,
        0xd8, 0xde, 0x89, 0x57, 0xca, 0xe9, 0x31, 0x36, 0x26, 0x65, 0x37, 0xa8, 0xd7, 0xbf, 0x4b, 0x76,
    ]
}
