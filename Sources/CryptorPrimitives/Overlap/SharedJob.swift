import Synchronization

/// Work that a thread of its own may do while the caller goes on. Whoever gets to it first does it: nobody ever waits for a
/// thread that has not begun, however busy the machine is, nor for one that the system does not give.
final class SharedJob: @unchecked Sendable {
    // Unchecked: `work` and `failure` belong to whoever has claimed the job, until `finish` returns.
    private let isClaimed = Atomic<Bool>(false)
    private let work: () throws(OpenSSLError) -> Void
    private var failure: OpenSSLError?

    private init(_ work: @escaping () throws(OpenSSLError) -> Void) {
        self.work = work
    }

    /// Does `work` beside `body`, or after it. Both are done when it returns.
    ///
    /// - Parameter body: returns its failure.
    /// - Throws: the failure of `work`, or else that of `body`.
    static func run(
        _ work: @escaping () throws(OpenSSLError) -> Void, beside body: () throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        let job = SharedJob(work)
        let thread = HelperThread { job.runUnlessClaimed() }
        var failure: OpenSSLError?
        do throws(OpenSSLError) { try body() } catch { failure = error }
        if job.runUnlessClaimed() {
            // The thread, if there is one, finds nothing to do: it touches no memory of the caller.
            thread?.detach()
        } else {
            // Waits for it.
            _ = consume thread
        }
        if let failure = job.failure ?? failure { throw failure }
    }

    /// - Returns: false if the other thread has begun.
    @discardableResult
    private func runUnlessClaimed() -> Bool {
        guard !isClaimed.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        // OpenSSL's reasons are one queue a thread: they are taken here, where the failure is.
        do throws(OpenSSLError) { try callingOpenSSL(work) } catch { failure = error }
        return true
    }
}
