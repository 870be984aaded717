#if os(Linux)
import CCryptorProbe
import Foundation
import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// Runs `body` on two threads after both have begun.
private func onTwoThreads(_ body: @Sendable () -> Void) {
    let count = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
        // The ordering is relaxed, so that the sanitizer sees neither thread as being before the
        // other.
        count.add(1, ordering: .relaxed)
        while count.load(ordering: .relaxed) < 2 { sched_yield() }
        body()
    }
}

/// Under a sanitizer, faults like these end the process that has them.
@Suite struct SanitizerTests {
    private func expect(
        _ words: String, in result: ExitTest.Result?, at location: SourceLocation = #_sourceLocation
    ) {
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(words), "\(said.prefix(2000))", sourceLocation: location)
    }

    @Test(.enabled(if: Sanitizer.address.isPresent, Sanitizer.need)) func overflow() async {
        let ours = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 16)
            bytes.baseAddress?.storeBytes(
                of: 1, toByteOffset: getpid() > 0 ? 16 : 0, as: UInt8.self)
            bytes.deallocate()
        }
        expect("heap-buffer-overflow", in: ours)
    }

    @Test(.enabled(if: Sanitizer.address.isPresent, Sanitizer.need)) func useAfterFree() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            var authenticator = try HMACAuthenticator(key: SecretBytes([1]))
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 16)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.deallocate()
            try authenticator.update(UnsafeRawBufferPointer(bytes).bytes)
        }
        expect("heap-use-after-free", in: result)
    }

    /// Without optimisation, a span is read by Swift's library, which is built without a sanitizer.
    @Test(
        .enabled(if: Sanitizer.address.isPresent && !_isDebugAssertConfiguration(), Sanitizer.need))
    func useOfASpanAfterFree() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 16)
            bytes.deallocate()
            precondition(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes)).byte(at: 3) < 255)
        }
        expect("heap-use-after-free", in: result)
    }

    @Test(.enabled(if: Sanitizer.address.isPresent, Sanitizer.need)) func leak() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            // There are several, since a pointer to one may still be on the stack.
            for _ in 0..<10 { _ = Unmanaged.passRetained(SecretBytes([1, 2, 3])) }
            precondition(!probe_finds_leaks())
        }
        expect("detected memory leaks", in: result)
    }

    @Test(.enabled(if: Sanitizer.thread.isPresent, Sanitizer.need)) func race() async {
        let ours = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            nonisolated(unsafe) var number = 0
            onTwoThreads { number += 1 }
        }
        // The sanitizer calls it "Swift access race" or "data race", depending on what it sees
        // first.
        expect("race (pid=", in: ours)
    }

    @Test(.enabled(if: Sanitizer.undefinedBehavior.isPresent, Sanitizer.need))
    func misalignedNumber() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            precondition(
                [UInt8](repeating: 1, count: 16).withUnsafeBytes {
                    probe_read_misaligned($0.baseAddress)
                } != 0)
        }
        expect("misaligned address", in: result)
    }
}
#endif
