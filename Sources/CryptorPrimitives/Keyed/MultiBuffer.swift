#if MultiBuffer
import CCryptorMultiBuffer
import COpenSSL

/// Short messages under one pair of keys, many side by side, with libipsec-mb. The results are those of
/// ``KeyedContext``, byte for byte. The caller knows the order of the steps and the format of a message.
///
/// A context is lent to one thread at a time. Contexts are made as they are needed.
package final class MultiBuffer: Sendable {
    /// The most messages at a time.
    package static let maximumMessageCount = Int(CCRYPTOR_MULTIBUFFER_MESSAGES)
    /// The most bytes of a message: its ciphertext and everything else that is authenticated.
    package static let maximumByteCount = Int(CCRYPTOR_MULTIBUFFER_BYTES)
    /// The fewest messages that are worth it. With fewer, OpenSSL takes less time.
    package static let minimumMessageCount = 4

    private static let tagByteCount = HMACAuthenticator.Hash.sha256.byteCount
    private static let block = AESCipher.blockByteCount

    private let encryptionKey: SecretBytes
    private let hmacKey: SecretBytes
    // No thread waits for this lock: if another thread held it during a fork, it stays locked in the child for ever.
    private let idle = Lock<[Context]>([])

    /// - Returns: nil in FIPS mode, and if the processor or the library cannot do it or fails the self-test.
    package convenience init?(encryptionKey: SecretBytes, hmacKey: SecretBytes) {
        guard !Algorithm.isFIPSEnabled, Self.isSound else { return nil }
        self.init(unchecked: encryptionKey, hmacKey: hmacKey)
    }

    private init(unchecked encryptionKey: SecretBytes, hmacKey: SecretBytes) {
        self.encryptionKey = encryptionKey
        self.hmacKey = hmacKey
    }

    /// A manager of the library, and the keys in the form that it needs.
    private final class Context: @unchecked Sendable {
        // Unchecked: only the thread that took it from `idle` has it.
        let pointer: OpaquePointer

        init?(encryptionKey: SecretBytes, hmacKey: SecretBytes) {
            let pointer = encryptionKey.withUnsafeBytes { encryptionKey in
                hmacKey.withUnsafeBytes { hmacKey in
                    ccryptor_multibuffer_new(
                        encryptionKey.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        hmacKey.baseAddress?.assumingMemoryBound(to: UInt8.self))
                }
            }
            guard let pointer else { return nil }
            self.pointer = pointer
        }

        deinit { ccryptor_multibuffer_free(pointer) }
    }

    private func withContext(_ body: (OpaquePointer) -> Bool) throws(OpenSSLError) {
        let known: Context? = idle.withLockIfFree { $0.popLast() } ?? nil
        // The program may have turned FIPS mode on since.
        guard !Algorithm.isFIPSEnabled,
            let context = known ?? Context(encryptionKey: encryptionKey, hmacKey: hmacKey)
        else { throw OpenSSLError(function: "init_mb_mgr_auto of libipsec-mb") }
        // A context that failed may hold jobs that nobody waits for, so it is not used again.
        guard body(context.pointer) else { throw OpenSSLError(function: "submit_job of libipsec-mb") }
        _ = idle.withLockIfFree { $0.append(context) }
    }

    // MARK: Encryption

    /// Appends a message for each plaintext: `start`, a fresh IV, the padded ciphertext, and the tag over all of these.
    /// - Parameter plaintexts: at most ``maximumMessageCount``. A message must not be longer than ``maximumByteCount``.
    /// - Throws: an error, after which nothing is appended and nothing of a plaintext is left in `output`.
    @_lifetime(output: copy output)
    package func encrypt(
        _ plaintexts: [Range<Int>], of bytes: RawSpan, start: [UInt8], into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        let ivs = try RandomBytes.bytes(count: plaintexts.count * Self.block)
        try output.withUnsafeMutableBytes { (memory, count) throws(OpenSSLError) in
            guard let base = memory.baseAddress else { return }
            let first = count
            var end = count
            var messages: [ccryptor_multibuffer_encryption] = []
            messages.reserveCapacity(plaintexts.count)
            for (index, range) in plaintexts.enumerated() {
                let message = base + end
                let headerByteCount = start.count + Self.block
                let padding = Self.block - range.count % Self.block
                precondition(end + headerByteCount + range.count + padding + Self.tagByteCount <= memory.count)
                var place = UnsafeMutableRawBufferPointer(start: message, count: headerByteCount + range.count)[...]
                for part in [start[...], ivs[index * Self.block..<(index + 1) * Self.block]] {
                    UnsafeMutableRawBufferPointer(rebasing: place).copyBytes(from: part)
                    place = place.dropFirst(part.count)
                }
                bytes.extracting(range).withUnsafeBytes { plaintext in
                    UnsafeMutableRawBufferPointer(rebasing: place).copyMemory(from: plaintext)
                }
                memset(message + headerByteCount + range.count, CInt(padding), padding)
                messages.append(
                    ccryptor_multibuffer_encryption(
                        message: message.assumingMemoryBound(to: UInt8.self), header_bytes: headerByteCount,
                        ciphertext_bytes: range.count + padding))
                end += headerByteCount + range.count + padding + Self.tagByteCount
            }
            do throws(OpenSSLError) {
                try withContext { ccryptor_multibuffer_encrypt($0, messages, messages.count) }
            } catch {
                OPENSSL_cleanse(base + first, end - first)
                throw error
            }
            count = end
        }
    }

    // MARK: Decryption

    /// Whether the tag at the end of each message is the right one, compared in constant time.
    package func areAuthentic(_ messages: [Range<Int>], of bytes: RawSpan) throws(OpenSSLError) -> [Bool] {
        // The right tag of a forged message is what its forger is after: it is cleansed.
        let tags = try SecretBytes(count: messages.count * Self.tagByteCount) { (output) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (memory, count) throws(OpenSSLError) in
                try bytes.withUnsafeBytes { (bytes) throws(OpenSSLError) in
                    let authentications = messages.enumerated().map { index, range in
                        ccryptor_multibuffer_authentication(
                            bytes: bytes.baseAddress?.advanced(by: range.lowerBound)
                                .assumingMemoryBound(to: UInt8.self),
                            count: range.count - Self.tagByteCount,
                            tag: memory.baseAddress?.advanced(by: index * Self.tagByteCount)
                                .assumingMemoryBound(to: UInt8.self))
                    }
                    try withContext {
                        ccryptor_multibuffer_authenticate($0, authentications, authentications.count)
                    }
                }
                count = memory.count
            }
        }
        return tags.withRawSpan { tags in
            messages.enumerated().map { index, range in
                let start = index * Self.tagByteCount
                return constantTimeEqual(
                    tags.extracting(start..<start + Self.tagByteCount),
                    bytes.extracting(range).extracting(last: Self.tagByteCount))
            }
        }
    }

    /// Appends the plaintext of each message. All of them must have been found authentic.
    /// - Parameters:
    ///   - messages: at most ``maximumMessageCount``.
    ///   - headerByteCount: the length of each message's header, which ends with the IV.
    /// - Returns: the length of each plaintext, or nil if its padding is wrong; then nothing of it is appended.
    /// - Throws: an error, after which nothing is appended and nothing of a plaintext is left in `output`.
    @_lifetime(output: copy output)
    package func decrypt(
        _ messages: [Range<Int>], of bytes: RawSpan, headerByteCount: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> [Int?] {
        // The last blocks are decrypted first: they say where each plaintext ends and the next begins.
        let lastBlocks = try SecretBytes(count: messages.count * Self.block) { (output) throws(OpenSSLError) in
            try decryptLastBlocks(messages, of: bytes, headerByteCount: headerByteCount, into: &output)
        }
        let lastByteCounts = lastBlocks.withRawSpan { blocks in
            messages.indices.map { index in
                PKCS7Padding.plaintextByteCount(
                    ofLastBlock: blocks.extracting(index * Self.block..<(index + 1) * Self.block))
            }
        }
        return try output.withUnsafeMutableBytes { (memory, count) throws(OpenSSLError) in
            guard let base = memory.baseAddress else { return [] }
            var (end, counts, decryptions) = (count, [Int?](), [ccryptor_multibuffer_decryption]())
            counts.reserveCapacity(messages.count)
            decryptions.reserveCapacity(messages.count)
            try bytes.withUnsafeBytes { (bytes) throws(OpenSSLError) in
                lastBlocks.withUnsafeBytes { lastBlocks in
                    for (index, range) in messages.enumerated() {
                        guard let lastByteCount = lastByteCounts[index] else {
                            counts.append(nil)
                            continue
                        }
                        let message = bytes.baseAddress?.advanced(by: range.lowerBound)
                        let wholeByteCount = range.count - headerByteCount - Self.tagByteCount - Self.block
                        precondition(end + wholeByteCount + lastByteCount <= memory.count)
                        if wholeByteCount > 0 {
                            decryptions.append(
                                ccryptor_multibuffer_decryption(
                                    iv: message?.advanced(by: headerByteCount - Self.block)
                                        .assumingMemoryBound(to: UInt8.self),
                                    ciphertext: message?.advanced(by: headerByteCount)
                                        .assumingMemoryBound(to: UInt8.self),
                                    ciphertext_bytes: wholeByteCount,
                                    plaintext: (base + end).assumingMemoryBound(to: UInt8.self)))
                        }
                        let last = UnsafeRawBufferPointer(
                            rebasing: lastBlocks[index * Self.block..<index * Self.block + lastByteCount])
                        UnsafeMutableRawBufferPointer(rebasing: memory[(end + wholeByteCount)...]).copyMemory(
                            from: last)
                        end += wholeByteCount + lastByteCount
                        counts.append(wholeByteCount + lastByteCount)
                    }
                }
                do throws(OpenSSLError) {
                    try withContext { ccryptor_multibuffer_decrypt($0, decryptions, decryptions.count) }
                } catch {
                    OPENSSL_cleanse(base + count, end - count)
                    throw error
                }
            }
            count = end
            return counts
        }
    }

    private func decryptLastBlocks(
        _ messages: [Range<Int>], of bytes: RawSpan, headerByteCount: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        try output.withUnsafeMutableBytes { (memory, count) throws(OpenSSLError) in
            try bytes.withUnsafeBytes { (bytes) throws(OpenSSLError) in
                let decryptions = messages.enumerated().map { index, range in
                    let end = bytes.baseAddress?.advanced(by: range.upperBound - Self.tagByteCount)
                    // In CBC, a plaintext block depends only on its ciphertext block and the one before, or the IV.
                    return ccryptor_multibuffer_decryption(
                        iv: end?.advanced(by: -2 * Self.block).assumingMemoryBound(to: UInt8.self),
                        ciphertext: end?.advanced(by: -Self.block).assumingMemoryBound(to: UInt8.self),
                        ciphertext_bytes: Self.block,
                        plaintext: memory.baseAddress?.advanced(by: index * Self.block)
                            .assumingMemoryBound(to: UInt8.self))
                }
                try withContext { ccryptor_multibuffer_decrypt($0, decryptions, decryptions.count) }
            }
            count = memory.count
        }
    }

    // MARK: Self-test

    /// Whether messages of many lengths come out as with OpenSSL, in both directions. Tested once per process.
    private static let isSound = agreesWithOpenSSL()

    private static func agreesWithOpenSSL() -> Bool {
        let agreement = try? callingOpenSSL(mayLeaveReasons: true) { () throws(OpenSSLError) in
            try agreeOnMessages()
        }
        return agreement ?? false
    }

    private static func agreeOnMessages() throws(OpenSSLError) -> Bool {
        let keys = (try RandomBytes.secret(count: 32), try RandomBytes.secret(count: 32))
        let multiBuffer = MultiBuffer(unchecked: keys.0, hmacKey: keys.1)
        var context = try KeyedContext(encryptionKey: keys.0, hmacKey: keys.1)
        let lengths = [1000, 4096, 5000, maximumByteCount - 82] + (0..<maximumMessageCount - 4)
        var plaintexts: [Range<Int>] = []
        for length in lengths {
            let start = plaintexts.last?.upperBound ?? 0
            plaintexts.append(start..<start + length)
        }
        let bytes = try RandomBytes.bytes(count: plaintexts.last?.upperBound ?? 0)
        let start: [UInt8] = [3, 0]
        let overhead = start.count + 2 * block + tagByteCount
        let made = try Array(byteCapacity: bytes.count + lengths.count * overhead) { (output) throws(OpenSSLError) in
            try multiBuffer.encrypt(plaintexts, of: bytes.span.bytes, start: start, into: &output)
        }
        var messages: [Range<Int>] = []
        for length in lengths {
            let from = messages.last?.upperBound ?? 0
            messages.append(from..<from + start.count + block + (length / block + 1) * block + tagByteCount)
        }
        let headerByteCount = start.count + block
        for (message, plaintext) in zip(messages, plaintexts) {
            let message = made.rawSpan(message)
            try context.authenticate(message.extracting(droppingLast: tagByteCount))
            guard try context.authenticator.finish(matching: message.extracting(last: tagByteCount)) else {
                return false
            }
            var isPadded = false
            let decrypted = try Array(byteCapacity: message.byteCount) { (output) throws(OpenSSLError) in
                isPadded = try context.decrypt(
                    message.extracting(headerByteCount..<message.byteCount - tagByteCount),
                    iv: message.extracting(start.count..<headerByteCount), into: &output)
            }
            guard isPadded, decrypted[...] == bytes[plaintext] else { return false }
        }
        guard try multiBuffer.areAuthentic(messages, of: made.span.bytes).allSatisfy(\.self) else { return false }
        var counts: [Int?] = []
        let decrypted = try Array(byteCapacity: made.count) { (output) throws(OpenSSLError) in
            counts = try multiBuffer.decrypt(
                messages, of: made.span.bytes, headerByteCount: headerByteCount, into: &output)
        }
        return decrypted == bytes && counts == lengths
    }
}
#endif
