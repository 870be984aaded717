import CCryptorSystem
import CryptorSystem
import COpenSSL
import Synchronization

/// A key for AES-256 and one for HMAC-SHA256. For many messages it keeps engines under them: each
/// thread has a slot by its number, and finds there the engine that it used last, by an atomic
/// exchange: no thread waits for another. More than 64 threads share slots: where two use one at
/// the same time, the second makes an engine for its message.
// Unchecked: an engine belongs to its slot, or to the thread that took it out.
package final class KeyPair: @unchecked Sendable {
    private typealias Slot = Atomic<UnsafeMutablePointer<MessageEngine>?>

    private static let slotCount = 64
    /// Slots of two threads are this far apart: neighbours in memory would share a cache line.
    private static let stride = 64 / MemoryLayout<Slot>.stride

    package let encryptionKey: SecretBytes
    package let hmacKey: SecretBytes
    /// Nil if no engines are kept.
    private let slots: UnsafeMutablePointer<Slot>?

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes, keepsEngines: Bool = false) {
        self.encryptionKey = encryptionKey
        self.hmacKey = hmacKey
        guard keepsEngines else {
            slots = nil
            return
        }
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: Self.slotCount * Self.stride)
        for number in 0..<Self.slotCount {
            (slots + number * Self.stride).initialize(to: Slot(nil))
        }
        self.slots = slots
    }

    deinit {
        guard let slots else { return }
        for number in 0..<Self.slotCount {
            let slot = slots + number * Self.stride
            if let kept = slot.pointee.load(ordering: .acquiring) { Self.free(kept) }
            slot.deinitialize(count: 1)
        }
        slots.deallocate()
    }

    package var keepsEngines: Bool { slots != nil }

    /// Makes an engine for this thread, so that a failure of OpenSSL is thrown here.
    package func prepare() throws(OpenSSLError) { giveBack(try take()) }

    // Few functions, each long: a processor predicts the returns of 16 to 32 calls, and OpenSSL
    // makes most of them. Each function more on the way costs a short message 10 ns.
    //
    // And a mark in OpenSSL's queue of reasons would cost 13 to 26 ns: none is set. The calls below
    // use contexts that are ready. If one of them fails, its reason stays in the queue.

    /// Seals a message: see ``MessageEngine/seal(_:after:into:)``.
    @_lifetime(output: copy output)
    package func seal(
        _ plaintext: RawSpan, after start: [UInt8], into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        let engine = try take()
        do throws(OpenSSLError) {
            try engine.pointee.seal(plaintext, after: start, into: &output)
        } catch {
            Self.free(engine)
            throw error
        }
        giveBack(engine)
    }

    /// Opens a message: see ``MessageEngine/open(_:headerByteCount:into:)``.
    @_lifetime(output: copy output)
    package func open(
        _ message: RawSpan, headerByteCount: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> MessageEnd.Verdict {
        let engine = try take()
        let verdict: MessageEnd.Verdict
        do throws(OpenSSLError) {
            verdict = try engine.pointee.open(
                message, headerByteCount: headerByteCount, into: &output)
        } catch {
            Self.free(engine)
            throw error
        }
        giveBack(engine)
        return verdict
    }

    private var slot: UnsafeMutablePointer<Slot>? {
        guard let slots else { return nil }
        return slots + ccryptor_thread_number() % Self.slotCount * Self.stride
    }

    /// - Returns: an engine that the caller owns until it calls `giveBack`, or `free` if a call of
    ///   OpenSSL has failed: nobody knows what state that has left.
    private func take() throws(OpenSSLError) -> UnsafeMutablePointer<MessageEngine> {
        if let kept = slot?.pointee.exchange(nil, ordering: .acquiring) { return kept }
        let made = try keepingReasons { () throws(OpenSSLError) in
            try MessageEngine(encryptionKey: encryptionKey, hmacKey: hmacKey)
        }
        let engine = UnsafeMutablePointer<MessageEngine>.allocate(capacity: 1)
        engine.initialize(to: made)
        return engine
    }

    private func giveBack(_ engine: UnsafeMutablePointer<MessageEngine>) {
        let other =
            if let slot { slot.pointee.exchange(engine, ordering: .acquiringAndReleasing) } else {
                engine
            }
        if let other { Self.free(other) }
    }

    private static func free(_ engine: UnsafeMutablePointer<MessageEngine>) {
        engine.deinitialize(count: 1)
        engine.deallocate()
    }
}
