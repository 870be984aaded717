import Synchronization

/// Contexts that wait for a message. Taking one and giving it back is an atomic exchange: nobody waits for anybody. It
/// grows with the threads that use it at the same time.
package final class ContextPool: @unchecked Sendable {
    // Unchecked: a slot's owner is whoever exchanged it for nothing.
    private static let slotCount = 64
    private let slots: UnsafeMutablePointer<Atomic<UInt>>
    private let encryptionKey: SecretBytes
    private let hmacKey: SecretBytes

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) {
        self.encryptionKey = encryptionKey
        self.hmacKey = hmacKey
        slots = .allocate(capacity: Self.slotCount)
        for index in 0..<Self.slotCount { (slots + index).initialize(to: Atomic(0)) }
    }

    deinit {
        for index in 0..<Self.slotCount { Self.context(slots[index].load(ordering: .acquiring))?.release() }
        slots.deinitialize(count: Self.slotCount)
        slots.deallocate()
    }

    /// Makes sure that there is a context.
    package func warmUp() throws(KeyedContextError) {
        let start = Self.firstSlot
        giveBack(try take(from: start), to: start)
    }

    /// Appends a message: see ``KeyedContext/appendMessage(start:_:to:)``.
    package func appendMessage(
        start bytes: (UInt8, UInt8), _ plaintext: RawSpan, to output: inout OutputRawSpan
    ) throws(KeyedContextError) {
        let start = Self.firstSlot
        let context = try take(from: start)
        defer { giveBack(context, to: start) }
        try context.appendMessage(start: bytes, plaintext, to: &output)
    }

    /// Appends the plaintext of a message: see ``KeyedContext/appendPlaintext(of:ivOffset:to:)``.
    package func appendPlaintext(
        of message: RawSpan, ivOffset: Int, to output: inout OutputRawSpan
    ) throws(KeyedContextError) -> KeyedContext.Verdict {
        let start = Self.firstSlot
        let context = try take(from: start)
        defer { giveBack(context, to: start) }
        return try context.appendPlaintext(of: message, ivOffset: ivOffset, to: &output)
    }

    /// Another one for each thread, mostly, so that threads do not fight over a cache line.
    private static var firstSlot: Int { Int(bitPattern: pthread_self()) >> 12 & (slotCount - 1) }

    private func take(from start: Int) throws(KeyedContextError) -> KeyedContext {
        for offset in 0..<Self.slotCount {
            let slot = slots + (start + offset) & (Self.slotCount - 1)
            guard slot.pointee.load(ordering: .relaxed) != 0 else {
                // Contexts are put as near to `start` as there is room: behind a gap there is rarely one.
                if offset > 4 { break }
                continue
            }
            if let context = Self.context(slot.pointee.exchange(0, ordering: .acquiring)) {
                return context.takeRetainedValue()
            }
        }
        do throws(OpenSSLError) {
            return try KeyedContext(encryptionKey: encryptionKey, hmacKey: hmacKey)
        } catch {
            throw .failure(error)
        }
    }

    private func giveBack(_ context: KeyedContext, to start: Int) {
        let reference = Unmanaged.passRetained(context)
        let value = UInt(bitPattern: reference.toOpaque())
        for offset in 0..<Self.slotCount {
            let slot = slots + (start + offset) % Self.slotCount
            guard slot.pointee.load(ordering: .relaxed) == 0 else { continue }
            if slot.pointee.compareExchange(expected: 0, desired: value, ordering: .releasing).exchanged { return }
        }
        reference.release()
    }

    private static func context(_ value: UInt) -> Unmanaged<KeyedContext>? {
        UnsafeRawPointer(bitPattern: value).map { Unmanaged<KeyedContext>.fromOpaque($0) }
    }
}
