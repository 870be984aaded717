import CryptorSystem
import COpenSSL

/// HMAC-SHA256 (RFC 2104, FIPS 180-4) over one message after the other. Wraps an `EVP_MAC_CTX`.
package struct HMACAuthenticator: ~Copyable, Sendable {
    /// The length of an HMAC, in bytes.
    @inlinable package static var byteCount: Int { 32 }

    private let context: OwnedContext

    /// - Parameter key: any number of bytes; the format's keys have 32.
    package init(key: SecretBytes) throws(OpenSSLError) {
        let context = try Self.newContext()
        try Self.begin(context, key: key)
        self.context = context
    }

    /// A context that knows its digest.
    private static func newContext() throws(OpenSSLError) -> OwnedContext {
        let template = try template.pointer()
        guard hasCopies else {
            return try OwnedContext(keyedTemplate(), calling: templateCall, free: EVP_MAC_CTX_free)
        }
        return try OwnedContext(
            EVP_MAC_CTX_dup(template), calling: "EVP_MAC_CTX_dup", free: EVP_MAC_CTX_free)
    }

    /// Whether contexts can be copied. Other providers need not have a function for that
    /// (`provider-mac(7)`), and OpenSSL 3.0 calls it without looking.
    private static let hasCopies: Bool = {
        guard let template = try? template.pointer() else { return false }
        return isDefault(EVP_MAC_get0_provider(EVP_MAC_CTX_get0_mac(template)))
    }()

    /// Begins another tag under the same key.
    /// - Parameter key: needed unless ``canBeginAgain``.
    @inline(__always)
    mutating func begin(key: SecretBytes?) throws(OpenSSLError) {
        try Self.begin(context, key: key)
    }

    /// Whether `EVP_MAC_init` without a key begins a new HMAC under the old key, as its manual
    /// says. In OpenSSL 3.0.0 to 3.0.2 it silently continues the previous HMAC. A known answer
    /// shows this: RFC 4231, test case 1.
    package static let canBeginAgain: Bool = {
        let key = [UInt8](repeating: 0x0B, count: 20)
        let data = Array("Hi There".utf8)
        let expected: [UInt8] = [
            0xB0, 0x34, 0x4C, 0x61, 0xD8, 0xDB, 0x38, 0x53, 0x5C, 0xA8, 0xAF, 0xCE, 0xAF, 0x0B,
            0xF1, 0x2B, 0x88, 0x1D,
            0xC2, 0x00, 0xC9, 0x83, 0x3D, 0xA7, 0x26, 0xE9, 0x37, 0x6C, 0x2E, 0x32, 0xCF, 0xF7,
        ]
        let isRight = try? keepingReasons { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(
                key: SecretBytes(copying: key.rawSpan(key.indices)))
            for isAgain in [false, true] {
                if isAgain { try authenticator.begin(key: nil) }
                try authenticator.update(data)
                guard try authenticator.finish(matching: expected.rawSpan(expected.indices)) else {
                    return false
                }
            }
            return true
        }
        return isRight == true
    }()

    @inline(__always)
    private static func begin(_ context: borrowing OwnedContext, key: SecretBytes?)
        throws(OpenSSLError)
    {
        let pointer = context.pointer
        let status =
            key?.withUnsafeBytes { key in
                EVP_MAC_init(
                    pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
            } ?? EVP_MAC_init(pointer, nil, 0, nil)
        try expectOne(status, calling: "EVP_MAC_init")
    }

    @inline(__always)
    mutating func update(_ bytes: RawSpan) throws(OpenSSLError) {
        let status = bytes.withUnsafeBytes { bytes in
            EVP_MAC_update(
                context.pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count
            )
        }
        try expectOne(status, calling: "EVP_MAC_update")
    }

    mutating func update(_ bytes: [UInt8]) throws(OpenSSLError) {
        try withRawSpan(of: bytes) { (bytes) throws(OpenSSLError) in try update(bytes) }
    }

    /// Appends the tag: `Self.byteCount` bytes. Nothing can be added afterwards.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func finish(into output: inout OutputRawSpan) throws(OpenSSLError) {
        precondition(output.freeCapacity >= Self.byteCount)
        let context = context.pointer
        let expected = Self.byteCount
        try output.withUnsafeMutableBytes { (destination, count) throws(OpenSSLError) in
            var written = 0
            let status = EVP_MAC_final(
                context,
                destination.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self),
                &written,
                expected)
            try expectOne(status, calling: "EVP_MAC_final")
            precondition(written == expected)
            count += written
        }
    }

    /// Whether the tag equals `expected`, compared in constant time. Nothing can be added
    /// afterwards.
    @inline(__always)
    mutating func finish(matching expected: RawSpan) throws(OpenSSLError) -> Bool {
        // A forger wants the right tag of a forged message, so it is cleansed.
        var tag: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        return try withUnsafeMutableBytes(of: &tag) { (tag) throws(OpenSSLError) in
            defer { OPENSSL_cleanse(tag.baseAddress, tag.count) }
            var output = OutputRawSpan(buffer: tag, initializedCount: 0)
            try finish(into: &output)
            return constantTimeEqual(output.bytes, expected)
        }
    }

    /// A context that knows its digest and has a key of zeros. Copies of it take the real key, and
    /// nothing is fetched for them: `EVP_MAC_init(3)` with a digest parameter would look the digest
    /// up again, each time.
    private static let template = Algorithm(calling: templateCall, keyedTemplate)
    private static let templateCall = "EVP_MAC_init(HMAC, SHA256)"

    @Sendable
    private static func keyedTemplate() -> OpaquePointer? {
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        defer { EVP_MAC_free(mac) }
        guard let context = EVP_MAC_CTX_new(mac) else { return nil }
        let placeholder = [UInt8](repeating: 0, count: 32)
        // A parameter keeps pointers to its name and its value. Both must stay alive until OpenSSL
        // has read it.
        var digest = Array("SHA256".utf8CString)
        let status = "digest".withCString { name in
            digest.withUnsafeMutableBufferPointer { digest in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return EVP_MAC_init(context, placeholder, placeholder.count, parameters)
            }
        }
        guard status == 1 else {
            EVP_MAC_CTX_free(context)
            return nil
        }
        return context
    }
}
