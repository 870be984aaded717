import CPBKDF2Lanes

extension PBKDF2 {
    /// The length in bytes of a key that the lanes derive, which takes two chains.
    package static let laneKeyByteCount = Int(CPBKDF2_KEY_BYTES)

    /// A request for a key of 32 bytes.
    package struct Request: Sendable {
        let password: SecretBytes
        let salt: [UInt8]

        package init(password: SecretBytes, salt: [UInt8]) {
            self.password = password
            self.salt = salt
        }
    }

    /// How many pairs of keys to derive together: the fewest that take less time together than one after the other, and
    /// the number with the least time for each. With AVX-512 these are four, which take about as long as two, and
    /// eight, which take as long as six; otherwise one.
    package static func pairsAtATime(engine: Engine = .preferred) -> (few: Int, many: Int) {
        engine == .avx512Lanes || engine == .lanes && Engine.avx512Lanes.isAvailable ? (4, 8) : (1, 1)
    }

    /// One key of 32 bytes.
    package static func deriveKey(
        password: SecretBytes, salt: [UInt8], iterations: Int, engine: Engine = .preferred
    ) throws(OpenSSLError) -> SecretBytes {
        try deriveKeys(for: [Request(password: password, salt: salt)], iterations: iterations, engine: engine)[0]
    }

    /// A key of 32 bytes for each request, in their order. Consecutive requests with the same password object share the
    /// work for the password. With AVX-512, sixteen requests at a time, or a multiple, are the fastest.
    /// - Throws: OpenSSL's error, for less than one iteration and for a number over `Int32.max`.
    package static func deriveKeys(
        for requests: [Request], iterations: Int, engine: Engine = .preferred
    ) throws(OpenSSLError) -> [SecretBytes] {
        guard let path = engine.path, areOrdinary(requests, iterations: iterations) else {
            var keys: [SecretBytes] = []
            for request in requests {
                let key = try deriveKey(
                    password: request.password, salt: request.salt, iterations: iterations, byteCount: laneKeyByteCount)
                keys.append(key)
            }
            return keys
        }
        return deriveInLanes(requests, iterations: UInt32(iterations), path: path)
    }

    /// Whether the lanes can take the requests. OpenSSL gets all others, and its error says what is wrong with them.
    private static func areOrdinary(_ requests: [Request], iterations: Int) -> Bool {
        (1...Int(CInt.max)).contains(iterations)
            && requests.allSatisfy { $0.password.count <= CInt.max && $0.salt.count <= CInt.max }
    }

    private static func deriveInLanes(
        _ requests: [Request], iterations: UInt32, path: cpbkdf2_path
    ) -> [SecretBytes] {
        let byteCount = laneKeyByteCount * requests.count
        let salts = requests.flatMap(\.salt)
        let keys = SecretBytes(count: byteCount) { output in
            output.withUnsafeMutableBytes { keys, count in
                salts.withUnsafeBufferPointer { salts in
                    var key = keys.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    var salt = salts.baseAddress
                    let passed = requests.map { request in
                        defer {
                            key = key?.advanced(by: laneKeyByteCount)
                            salt = salt?.advanced(by: request.salt.count)
                        }
                        let password = request.password.unsafeBytes
                        return cpbkdf2_request(
                            password: password.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            password_bytes: password.count, salt: salt, salt_bytes: request.salt.count, key: key)
                    }
                    withExtendedLifetime(requests) { cpbkdf2_derive(path, passed, passed.count, iterations) }
                }
                count = byteCount
            }
        }
        return keys.withRawSpan { keys in
            requests.indices.map { index in
                let start = laneKeyByteCount * index
                return SecretBytes(copying: keys.extracting(start..<start + laneKeyByteCount))
            }
        }
    }
}
