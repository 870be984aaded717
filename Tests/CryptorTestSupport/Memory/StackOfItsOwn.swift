#if os(Linux)
import Foundation

/// Runs `body` on a stack of its own, and returns the contents of that stack afterwards.
package func stackLeft(by body: @escaping () -> Void) throws -> [UInt8] {
    final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
    let byteCount = 1 << 20
    let stack = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 4096)
    defer { stack.deallocate() }
    stack.initializeMemory(as: UInt8.self, repeating: 0)

    var attributes = pthread_attr_t()
    var thread = pthread_t()
    guard let start = stack.baseAddress, pthread_attr_init(&attributes) == 0,
        pthread_attr_setstack(&attributes, start, byteCount) == 0
    else { throw SystemFailure("pthread_attr_setstack") }
    defer { pthread_attr_destroy(&attributes) }
    let status = pthread_create(
        &thread, &attributes,
        { work in
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
            return nil
        }, Unmanaged.passRetained(Work(body)).toOpaque())
    guard status == 0, pthread_join(thread, nil) == 0 else { throw SystemFailure("pthread_create") }
    return Array(stack)
}

/// Calls `body` with `count` KiB of stack above it. That should be more than a thread uses as it
/// ends.
@inline(never)
package func atDepth(_ count: Int, _ body: () -> Void) {
    guard count > 0 else { return body() }
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { room in
        room.initializeMemory(as: UInt8.self, repeating: 0)
        atDepth(count - 1, body)
        withExtendedLifetime(room) {}
    }
}
#endif
