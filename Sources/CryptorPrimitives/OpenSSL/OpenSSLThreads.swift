import CCryptorSystem
import COpenSSL
import Synchronization

/// What a thread that ends before the process has to do for OpenSSL.
package enum OpenSSLThreads {
    /// Called on each such thread at its end. It frees what OpenSSL keeps for the thread, and would otherwise free after
    /// the thread's end. OpenSSL also cleans up when the process exits, but cannot safely do both at once
    /// (OPENSSL_init_crypto(3)): a thread that comes too late frees nothing, and sleeps until the process has ended.
    package static let end: @Sendable () -> Void = {
        // The exit handler that is registered last runs first, so OpenSSL registers its own before this one.
        _ = OPENSSL_init_crypto(0, nil)
        _ = atexit { OpenSSLThreads.waitForTheEnding() }
        return {
            endingCount.add(1, ordering: .sequentiallyConsistent)
            let isTooLate = processIsEnding.load(ordering: .sequentiallyConsistent)
            if !isTooLate { OPENSSL_thread_stop() }
            endingCount.subtract(1, ordering: .sequentiallyConsistent)
            while isTooLate { sleep(.max) }
        }
    }()

    /// The number of threads that OpenSSL is cleaning up after at the moment.
    private static let endingCount = Atomic(0)
    private static let processIsEnding = Atomic(false)

    private static func waitForTheEnding() {
        processIsEnding.store(true, ordering: .sequentiallyConsistent)
        // The wait has a limit, because in a child after a fork the counted threads do not exist.
        for _ in 0..<10_000 where endingCount.load(ordering: .sequentiallyConsistent) > 0 { usleep(100) }
    }
}
