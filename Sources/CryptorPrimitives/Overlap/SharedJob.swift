import Dispatch
import Synchronization

/// Work that another thread may do while the caller goes on. Whoever gets to it first does it: nobody ever waits for a
/// thread that has not begun, however busy the machine is.
final class SharedJob: @unchecked Sendable {
    // Unchecked: `work` and `failure` belong to whoever has claimed the job, until `finish` returns.
    private let isClaimed = Atomic<Bool>(false)
    private let isDone = DispatchSemaphore(value: 0)
    private let work: () throws(OpenSSLError) -> Void
    private var failure: OpenSSLError?

    /// Offers `work` to another thread.
    init(_ work: @escaping () throws(OpenSSLError) -> Void) {
        self.work = work
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            guard claim() else { return }
            run()
            isDone.signal()
        }
    }

    /// Does the work if nobody else has begun, and waits for its end otherwise.
    func finish() throws(OpenSSLError) {
        if claim() { run() } else { isDone.wait() }
        if let failure { throw failure }
    }

    private func claim() -> Bool {
        !isClaimed.exchange(true, ordering: .acquiringAndReleasing)
    }

    private func run() {
        // The error queue of OpenSSL is one a thread: it was drained here, where the failure was.
        do throws(OpenSSLError) { try work() } catch { failure = error }
    }
}
