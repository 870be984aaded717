import Foundation
import Synchronization

/// Signals such as that of Ctrl-C: files of gigabytes must not stay behind in memory.
enum Interruption {
    private static let isAsked = Atomic<Bool>(false)

    static func watch() {
        // Initialises the variable now, because a signal handler must not be the first to use it.
        _ = isAsked.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.isAsked.store(true, ordering: .relaxed) }
        }
    }

    static func check() throws {
        if isAsked.load(ordering: .relaxed) { throw BenchmarkError.interrupted }
    }
}
