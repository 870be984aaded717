import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ctrl-C and its like: files of gigabytes must not stay behind in memory.
enum Interruption {
    private static let isAsked = Atomic<Bool>(false)

    static func watch() {
        // Made now: a handler may not be the first to touch it.
        _ = isAsked.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.isAsked.store(true, ordering: .relaxed) }
        }
    }

    static func check() throws(BenchmarkError) {
        if isAsked.load(ordering: .relaxed) { throw .interrupted }
    }
}
