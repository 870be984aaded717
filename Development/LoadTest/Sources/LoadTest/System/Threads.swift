#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Threads of the system, whose work may wait without holding up a Swift task.
struct Threads {
    private var threads: [pthread_t] = []

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    mutating func start(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        #if canImport(Glibc)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work)
        precondition(status == 0, "pthread_create: \(status)")
        threads.append(thread)
        #else
        var thread: pthread_t?
        let status = pthread_create(
            &thread, nil,
            { work in
                Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
                return nil
            }, work)
        guard status == 0, let thread else { preconditionFailure("pthread_create: \(status)") }
        threads.append(thread)
        #endif
    }

    consuming func join() {
        for thread in threads { pthread_join(thread, nil) }
    }
}
