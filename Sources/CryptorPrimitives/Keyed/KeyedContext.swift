import CCryptorSystem
import CryptorSystem
import COpenSSL
import Synchronization

/// Ciphers and HMAC under one pair of keys, set up once and used for one message after the other. It offers the steps;
/// the caller knows their order and the format of a message.
@usableFromInline
package struct KeyedContext: ~Copyable {
    private var encryption: AESCipher
    private var decryption: AESCipher
    package var authenticator: HMACAuthenticator
    /// The key of the HMAC if OpenSSL needs it again for each message, otherwise nil.
    private let repeatedKey: SecretBytes?
    private var ivs: IVSupply

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) throws(OpenSSLError) {
        let iv = [UInt8](repeating: 0, count: AESCipher.blockByteCount)
        let encryption = try AESCipher(.encrypt, key: encryptionKey, iv: iv)
        let decryption = try AESCipher(.decrypt, key: encryptionKey, iv: iv)
        let authenticator = try HMACAuthenticator(key: hmacKey)
        self.encryption = encryption
        self.decryption = decryption
        self.authenticator = authenticator
        ivs = IVSupply()
        repeatedKey = HMACAuthenticator.canBeginAgain ? nil : hmacKey
    }

    /// Appends a fresh IV and the padded ciphertext. There must be room for both.
    @_lifetime(output: copy output)
    package mutating func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        try encryption.begin(ivs.next().bytes, appendingIVTo: &output)
        try encryption.finishEncryption(plaintext, into: &output)
    }

    /// Appends the plaintext of `ciphertext`, which is whole blocks. There must be room for as many bytes. Must be
    /// called only after the HMAC matched.
    /// - Returns: whether the padding is right. If it is wrong, and after an error, nothing is appended and nothing of
    ///   the plaintext is left in `output`.
    @_lifetime(output: copy output)
    package mutating func decrypt(
        _ ciphertext: RawSpan, iv: RawSpan, into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> Bool {
        try decryption.begin(iv: iv)
        let start = output.byteCount
        var isRight = false
        defer { if !isRight { output.cleanse(ciphertext.byteCount, from: start) } }
        try decryption.update(ciphertext, into: &output)
        isRight = output.removePadding()
        return isRight
    }

    /// Begins an HMAC and adds all the bytes that it covers.
    package mutating func authenticate(_ bytes: RawSpan) throws(OpenSSLError) {
        try authenticator.begin(key: repeatedKey)
        try authenticator.update(bytes)
    }
}

/// Contexts that wait for a message. A thread takes one and gives it back with an atomic exchange, so no thread waits
/// for another. The pool grows with the number of threads that use it at the same time.
@usableFromInline package final class ContextPool: @unchecked Sendable {
    // Unchecked: a context in a slot belongs to the thread that exchanges it for 0.
    private static let slotCount = 64
    /// Slots are so far apart that two threads never write to the same cache line, nor to the one fetched with it.
    private static let slotStride = 128
    private let slots: UnsafeMutableRawPointer
    private let encryptionKey: SecretBytes
    private let hmacKey: SecretBytes

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) {
        self.encryptionKey = encryptionKey
        self.hmacKey = hmacKey
        slots = .allocate(byteCount: Self.slotCount * Self.slotStride, alignment: Self.slotStride)
        for index in 0..<Self.slotCount {
            (slots + index * Self.slotStride).bindMemory(to: Atomic<UInt>.self, capacity: 1).initialize(to: Atomic(0))
        }
    }

    deinit {
        for index in 0..<Self.slotCount {
            let slot = slot(index)
            if let context = Self.context(slot.pointee.load(ordering: .acquiring)) { Self.free(context) }
            slot.deinitialize(count: 1)
        }
        slots.deallocate()
    }

    private func slot(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        (slots + (index & (Self.slotCount - 1)) * Self.slotStride).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    /// Lends `body` a context that no other thread uses meanwhile.
    // Inlined, because a processor predicts the returns of 16 to 32 calls, and OpenSSL makes most of them: each function
    // more on the way costs a short message 10 ns.
    @inlinable @inline(__always)
    package func withContext(
        _ body: (inout KeyedContext) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        let context = try take()
        defer { giveBack(context) }
        try body(&context.pointee)
    }

    /// - Returns: a context that the caller owns until it calls `giveBack`.
    @usableFromInline func take() throws(OpenSSLError) -> UnsafeMutablePointer<KeyedContext> {
        let start = ccryptor_thread_number()
        for offset in 0..<Self.slotCount {
            let slot = slot(start + offset)
            guard slot.pointee.load(ordering: .relaxed) != 0 else {
                // `giveBack` takes the first free slot from `start` on, so there is rarely a context beyond a gap.
                if offset > 4 { break }
                continue
            }
            if let context = Self.context(slot.pointee.exchange(0, ordering: .acquiring)) { return context }
        }
        let made = try KeyedContext(encryptionKey: encryptionKey, hmacKey: hmacKey)
        // It shares no cache line with the context of another thread.
        let byteCount = (MemoryLayout<KeyedContext>.size / Self.slotStride + 1) * Self.slotStride
        let context = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: Self.slotStride)
            .bindMemory(to: KeyedContext.self, capacity: 1)
        context.initialize(to: made)
        return context
    }

    @usableFromInline func giveBack(_ context: UnsafeMutablePointer<KeyedContext>) {
        let start = ccryptor_thread_number()
        let value = UInt(bitPattern: context)
        for offset in 0..<Self.slotCount {
            let slot = slot(start + offset)
            guard slot.pointee.load(ordering: .relaxed) == 0 else { continue }
            if slot.pointee.compareExchange(expected: 0, desired: value, ordering: .releasing).exchanged { return }
        }
        Self.free(context)
    }

    private static func context(_ value: UInt) -> UnsafeMutablePointer<KeyedContext>? {
        UnsafeMutablePointer(bitPattern: value)
    }

    private static func free(_ context: UnsafeMutablePointer<KeyedContext>) {
        context.deinitialize(count: 1)
        context.deallocate()
    }
}
