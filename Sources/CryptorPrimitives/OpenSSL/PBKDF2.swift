import CryptorSystem
import COpenSSL

/// PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA1, for keys of 32 bytes: in the lanes of this
/// package's own C, or by OpenSSL; without the trait `Lanes`, by OpenSSL alone.
package enum PBKDF2 {
    /// An implementation of the iterations. All engines derive the same keys.
    package enum Engine: Sendable, Hashable, CaseIterable {
        /// `PKCS5_PBKDF2_HMAC(3)`, one chain after the other: the reference.
        case openSSL
        #if Lanes
        /// The fastest of the following for the number of keys.
        case lanes
        /// Four chains in the compiler's vectors.
        case portableLanes
        /// Two or four chains over x86's SHA instructions.
        case shaLanes
        /// Thirty-two chains in AVX-512.
        case avx512Lanes
        /// Two or four chains over 64-bit ARM's SHA-1 instructions.
        case armLanes
        #endif
    }

    /// The length of a key in bytes, which takes two chains.
    static let keyByteCount = 32

    /// A request for a key of 32 bytes.
    package struct Request: Sendable {
        let password: SecretBytes
        let salt: [UInt8]

        package init(password: SecretBytes, salt: [UInt8]) {
            self.password = password
            self.salt = salt
        }
    }

    /// A key for each request, in their order. Consecutive requests with the same password object
    /// share the work for the password. With AVX-512, sixteen requests at a time, or a multiple,
    /// are the fastest.
    /// - Throws: OpenSSL's error, for less than one iteration and for a number over `Int32.max`.
    package static func deriveKeys(
        for requests: [Request], iterations: Int, engine: Engine = .preferred
    ) throws(OpenSSLError) -> [SecretBytes] {
        #if Lanes
        // OpenSSL gets all requests that are out of the ordinary, and its error says what is wrong
        // with them.
        if let path = engine.path, (1...Int(CInt.max)).contains(iterations),
            requests.allSatisfy({ $0.password.count <= CInt.max && $0.salt.count <= CInt.max })
        {
            return deriveInLanes(requests, iterations: UInt32(iterations), path: path)
        }
        #endif
        var keys: [SecretBytes] = []
        for request in requests {
            keys.append(try openSSLKey(for: request, iterations: iterations))
        }
        return keys
    }

    /// Wraps `PKCS5_PBKDF2_HMAC(3)`, which looks up its key derivation object each time. That takes
    /// about 0.5 µs of the 3 ms that 10,000 iterations take.
    private static func openSSLKey(for request: Request, iterations: Int) throws(OpenSSLError)
        -> SecretBytes
    {
        guard let passwordByteCount = CInt(exactly: request.password.count),
            let saltByteCount = CInt(exactly: request.salt.count),
            let iterations = CInt(exactly: iterations)
        else {
            throw OpenSSLError(
                failed: "PKCS5_PBKDF2_HMAC",
                reason: "a length or the number of iterations is over 2,147,483,647")
        }
        let digest = try Algorithm.sha1.pointer()
        return try SecretBytes(count: keyByteCount) { (output) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (key, count) throws(OpenSSLError) in
                let status = request.password.withUnsafeBytes { password in
                    PKCS5_PBKDF2_HMAC(
                        password.baseAddress?.assumingMemoryBound(to: CChar.self),
                        passwordByteCount, request.salt,
                        saltByteCount, iterations, digest, CInt(keyByteCount),
                        key.baseAddress?.assumingMemoryBound(to: UInt8.self))
                }
                try expectOne(status, calling: "PKCS5_PBKDF2_HMAC")
                count = keyByteCount
            }
        }
    }
}

extension PBKDF2.Engine {
    /// The engine that derives keys unless the caller names another. It is chosen once per process,
    /// because reading the environment while another thread changes it is not safe.
    package static let preferred: PBKDF2.Engine = chosen

    #if !Lanes
    static let chosen = PBKDF2.Engine.openSSL
    var isWide: Bool { false }
    #endif
}

extension PBKDF2 {
    /// How many pairs of keys to derive together: the fewest that take less time together than one
    /// after the other, and the number with the least time for each. With wide lanes, four and
    /// eight take about as long as three alone; otherwise it is one.
    package static func batchSize(engine: Engine = .preferred) -> (short: Int, long: Int) {
        engine.isWide ? (4, 8) : (1, 1)
    }
}
