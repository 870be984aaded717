#if Lanes
import CryptorSystem
import COpenSSL
import CPBKDF2Lanes

extension PBKDF2 {
    static func deriveInLanes(
        _ requests: [Request], iterations: UInt32, path: cpbkdf2_path
    ) -> [SecretBytes] {
        let salts = requests.flatMap(\.salt)
        let keys = SecretBytes(count: keyByteCount * requests.count) { output in
            output.withUnsafeMutableBytes { keys, count in
                salts.withUnsafeBufferPointer { salts in
                    var key = keys.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    var salt = salts.baseAddress
                    let passed = requests.map { request in
                        defer {
                            key = key?.advanced(by: keyByteCount)
                            salt = salt?.advanced(by: request.salt.count)
                        }
                        let password = request.password.unsafeBytes
                        return cpbkdf2_request(
                            password: password.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            password_bytes: password.count, salt: salt,
                            salt_bytes: request.salt.count, key: key)
                    }
                    withExtendedLifetime(requests) {
                        cpbkdf2_derive(path, passed, passed.count, iterations)
                    }
                }
                count = keys.count
            }
        }
        return keys.withRawSpan { keys in
            requests.indices.map { index in
                SecretBytes(
                    copying: keys.extracting(keyByteCount * index..<keyByteCount * (index + 1)))
            }
        }
    }
}

extension PBKDF2.Engine {
    /// The number of this path in C; nil for OpenSSL.
    var path: cpbkdf2_path? {
        switch self {
        case .openSSL: nil
        case .lanes: cpbkdf2_automatic
        case .portableLanes: cpbkdf2_portable
        case .shaLanes: cpbkdf2_sha
        case .avx512Lanes: cpbkdf2_avx512
        case .armLanes: cpbkdf2_arm
        }
    }

    /// Whether this processor has the instructions.
    var isAvailable: Bool { path.map(cpbkdf2_is_available) ?? true }

    /// Whether it is many chains that take about as long as one.
    var isWide: Bool { self == .avx512Lanes || self == .lanes && Self.avx512Lanes.isAvailable }

    /// Whether the lanes were compiled with optimisation. Without it, OpenSSL is faster.
    static var areLanesOptimized: Bool { cpbkdf2_is_optimized }

    /// The value of ``preferred``.
    static let chosen: PBKDF2.Engine = preferred(
        environment: getenv("CRYPTORFORMAT_OPENSSL_KDF").map { String(cString: $0) },
        areLanesOptimized: areLanesOptimized, derivesByDefaultProvider: derivesByDefaultProvider,
        doLanesWork: allCases.allSatisfy {
            $0 == .openSSL || !$0.isAvailable || $0.passesSelfTest()
        })

    /// Whether OpenSSL itself would derive keys by its default provider. Whoever has loaded another
    /// one, such as `fips`, wants its code to run and not ours.
    private static var derivesByDefaultProvider: Bool {
        let answer = try? keepingReasons { () throws(OpenSSLError) in
            let digest = try Algorithm.sha1.pointer()
            let derivation = try expectPointer(
                EVP_KDF_fetch(nil, "PBKDF2", nil), calling: "EVP_KDF_fetch(PBKDF2)")
            defer { EVP_KDF_free(derivation) }
            return isDefault(EVP_MD_get0_provider(digest))
                && isDefault(EVP_KDF_get0_provider(derivation))
        }
        return answer == true
    }

    /// - Parameters:
    ///   - environment: the value of `CRYPTORFORMAT_OPENSSL_KDF`: 1 asks for OpenSSL, 0 for the
    ///     lanes even where they were compiled without optimisation, which makes them slower than
    ///     OpenSSL.
    ///   - derivesByDefaultProvider: whether no other code than OpenSSL's own was asked for.
    ///   - doLanesWork: whether the lanes pass their self-test.
    static func preferred(
        environment: String?, areLanesOptimized: Bool, derivesByDefaultProvider: Bool,
        doLanesWork: @autoclosure () -> Bool
    ) -> PBKDF2.Engine {
        guard derivesByDefaultProvider, environment != "1", areLanesOptimized || environment == "0",
            doLanesWork()
        else {
            return .openSSL
        }
        return .lanes
    }

    /// Whether one, two and sixteen keys at a time are those that OpenSSL derives. Takes less than
    /// a millisecond.
    /// - Parameter expected: the sixteen keys; none if OpenSSL refuses to derive them, where the
    ///   lanes must not, either.
    func passesSelfTest(
        expecting expected: [SecretBytes] = PBKDF2.Engine.openSSL.selfTestKeys()
    ) -> Bool {
        [1, 2, 16].allSatisfy { count in
            let keys = selfTestKeys(count: count)
            return min(keys.count, expected.count) == count
                && zip(keys, expected).allSatisfy { $0.isEqual(to: $1) }
        }
    }

    /// The keys of passwords and salts that all differ. One password is longer than a block of
    /// SHA-1.
    func selfTestKeys(count: Int = 16) -> [SecretBytes] {
        let requests = (1...UInt8(count)).map { index in
            let password = [UInt8](repeating: index, count: index == 2 ? 65 : Int(index))
            return PBKDF2.Request(
                password: .copy(of: password), salt: [UInt8](repeating: ~index, count: 8))
        }
        let keys = try? keepingReasons { () throws(OpenSSLError) in
            try PBKDF2.deriveKeys(for: requests, iterations: 2, engine: self)
        }
        return keys ?? []
    }
}
#endif
