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
    package mutating func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan)
        throws(OpenSSLError)
    {
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

/// Contexts that wait for a message. Each thread has a slot by its number, and finds there the context that it used
/// last, by an atomic exchange: no thread waits for another. More than 64 threads share slots: where two use one at the
/// same time, the second makes a context for its message.
@usableFromInline package final class ContextPool: Sendable {
    private static let slotCount = 64
    private let slots: [Slot]
    private let encryptionKey: SecretBytes
    private let hmacKey: SecretBytes

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) {
        self.encryptionKey = encryptionKey
        self.hmacKey = hmacKey
        slots = (0..<Self.slotCount).map { _ in Slot() }
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

    // Neighbours in memory would share a cache line: those of threads that follow each other are far apart.
    private var slot: Slot { slots[ccryptor_thread_number() &* 5 % Self.slotCount] }

    /// - Returns: a context that the caller owns until it calls `giveBack`.
    @usableFromInline func take() throws(OpenSSLError) -> UnsafeMutablePointer<KeyedContext> {
        if let kept = slot.context.exchange(nil, ordering: .acquiring) { return kept }
        let made = try KeyedContext(encryptionKey: encryptionKey, hmacKey: hmacKey)
        let context = UnsafeMutablePointer<KeyedContext>.allocate(capacity: 1)
        context.initialize(to: made)
        return context
    }

    @usableFromInline func giveBack(_ context: UnsafeMutablePointer<KeyedContext>) {
        if let other = slot.context.exchange(context, ordering: .acquiringAndReleasing) {
            Slot.free(other)
        }
    }

    // Unchecked: a context belongs to its slot, or to the thread that took it out.
    private final class Slot: @unchecked Sendable {
        let context = Atomic<UnsafeMutablePointer<KeyedContext>?>(nil)

        deinit { if let kept = context.load(ordering: .acquiring) { Self.free(kept) } }

        static func free(_ context: UnsafeMutablePointer<KeyedContext>) {
            context.deinitialize(count: 1)
            context.deallocate()
        }
    }
}
