import Dispatch
import Synchronization

/// A step of the work on a stream that takes one chunk after the other.
package protocol RelayStep: ~Copyable, Sendable {
    associatedtype Chunk: Sendable
    associatedtype Failure: Error

    /// After it has thrown, it is not called again.
    mutating func process(_ chunk: inout Chunk) throws(Failure)
}

/// Chunks on their way through two steps, beside a caller who fills the next ones and empties the last ones. They come out
/// in the order in which they went in.
///
/// The first step, which should be the longest, is done by a second thread; the second step by whichever thread has
/// nothing better to do. The first chunks are processed where they are passed in, so that small work never touches a
/// thread; so are all chunks that find no core free.
package struct Relay<First: RelayStep & ~Copyable, Second: RelayStep & ~Copyable>: ~Copyable
where Second.Chunk == First.Chunk, Second.Failure == First.Failure {
    /// The chunks processed by the caller before a thread is worth its start.
    private static var serialChunkCount: Int { 4 }

    private let belt: RelayBelt<First, Second>
    private let isSerial: Bool
    private var budget: CoreBudget?
    private var thread: HelperThread?
    private var sentCount = 0
    private var receivedCount = 0

    /// - Parameters:
    ///   - depth: the chunks under way at most. When all of them wait for the thread, the caller waits for most of them: to
    ///     wake it costs the thread as much as 16 KiB of its work on a virtual machine.
    ///   - isSerial: whether the caller does all of the work.
    package init(_ first: consuming First, then second: consuming Second, depth: Int = 16, isSerial: Bool) {
        belt = RelayBelt(first, second, depth: depth)
        self.isSerial = isSerial
    }

    deinit {
        if thread != nil { belt.close() }
    }

    /// Passes a chunk in.
    /// - Returns: the oldest chunk, processed, once enough are under way; at once if it was processed here.
    /// - Throws: what a step threw at it.
    package mutating func pass(_ chunk: consuming First.Chunk) throws(First.Failure) -> First.Chunk? {
        if sentCount >= Self.serialChunkCount { startThread() }
        belt.put(chunk, at: sentCount)
        if thread == nil { belt.process(sentCount) } else { belt.announce() }
        sentCount += 1
        let limit = thread == nil ? 1 : belt.depth
        return sentCount - receivedCount >= limit ? try next() : nil
    }

    /// Waits for the oldest chunk; nil if none is under way.
    package mutating func next() throws(First.Failure) -> First.Chunk? {
        guard receivedCount < sentCount else { return nil }
        if thread != nil { belt.wait(for: receivedCount + 1, of: sentCount) }
        defer { receivedCount += 1 }
        return try belt.take(receivedCount)
    }

    /// Ends the thread and gives the steps to `body`. All chunks have been received.
    package mutating func finish<Result: ~Copyable, Failure: Error>(
        _ body: (consuming First, inout Second) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(receivedCount == sentCount)
        if thread != nil {
            belt.close()
            thread = nil
        }
        return try belt.withSteps(body)
    }

    private mutating func startThread() {
        guard !isSerial, thread == nil else { return }
        if budget == nil { budget = CoreBudget() } else { budget?.askForHelper() }
        guard budget?.hasHelper == true else { return }
        belt.start(at: sentCount)
        let belt = belt
        thread = HelperThread { belt.work() }
    }
}

/// What both threads know of a relay.
private final class RelayBelt<First: RelayStep & ~Copyable, Second: RelayStep & ~Copyable>: @unchecked Sendable
where Second.Chunk == First.Chunk, Second.Failure == First.Failure {
    // Unchecked: the first step belongs to the thread for as long as there is one. A place belongs to the caller until its
    // chunk is announced, then to the thread until it is processed, then to whoever has the second step, and to the caller
    // again once the second step is done.
    private final class Place {
        var chunk: First.Chunk?
        var failure: First.Failure?
    }

    private struct SecondStep: ~Copyable {
        var step: Second
        /// The chunks that it is done with.
        var count = 0
        var failure: Second.Failure?
    }

    private var first: First?
    private var firstFailure: First.Failure?
    private let second: Lock<SecondStep>
    private let places: [Place]
    /// The numbers of chunks announced and processed by the first step, those before the thread included.
    private let announcedCount = Atomic<Int>(0)
    private let processedCount = Atomic<Int>(0)
    /// The number of processed chunks that the caller waits for; `Int.max` if it does not wait.
    private let awaitedCount = Atomic<Int>(.max)
    private let announcements = DispatchSemaphore(value: 0)
    private let completions = DispatchSemaphore(value: 0)

    init(_ first: consuming First, _ second: consuming Second, depth: Int) {
        self.first = consume first
        self.second = Lock(SecondStep(step: second))
        places = (0..<depth).map { _ in Place() }
    }

    var depth: Int { places.count }

    private func place(_ index: Int) -> Place { places[index % depth] }

    // MARK: For the caller

    /// Before the thread starts: `count` chunks have been processed.
    func start(at count: Int) {
        announcedCount.store(count, ordering: .relaxed)
        processedCount.store(count, ordering: .relaxed)
    }

    func put(_ chunk: First.Chunk, at index: Int) {
        place(index).chunk = chunk
    }

    func announce() {
        announcedCount.add(1, ordering: .releasing)
        announcements.signal()
    }

    /// Returns when `count` chunks have been processed; if it has to wait, then until more are, of those that were sent.
    func wait(for count: Int, of sentCount: Int) {
        guard processedCount.load(ordering: .acquiring) < count else { return }
        let awaited = min(count - 1 + max(1, depth * 3 / 4), sentCount)
        awaitedCount.store(awaited, ordering: .sequentiallyConsistent)
        // Either this sees what the thread has processed, or the thread sees that this waits.
        if processedCount.load(ordering: .sequentiallyConsistent) >= awaited,
            awaitedCount.exchange(.max, ordering: .sequentiallyConsistent) != .max
        {
            return
        }
        completions.wait()
        // What was processed is seen: semaphores say so, and ThreadSanitizer does not know them.
        _ = processedCount.load(ordering: .acquiring)
    }

    /// Takes a processed chunk, after the second step.
    func take(_ index: Int) throws(First.Failure) -> First.Chunk? {
        second.withLock { second in
            if second.count == index { finishNext(&second) }
        }
        let place = place(index)
        if let failure = place.failure { throw failure }
        return place.chunk.take()
    }

    /// The thread ends when it comes to a signal without a chunk.
    func close() {
        announcements.signal()
    }

    func withSteps<Result: ~Copyable, Failure: Error>(
        _ body: (consuming First, inout Second) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try second.withLock { (second) throws(Failure) in
            guard let first = first.take() else { preconditionFailure("the relay has ended") }
            return try body(first, &second.step)
        }
    }

    // MARK: For the thread

    func work() {
        var count = processedCount.load(ordering: .relaxed)
        while true {
            while announcements.wait(timeout: .now()) == .timedOut {
                if !finishOne(of: count) {
                    announcements.wait()
                    break
                }
            }
            guard announcedCount.load(ordering: .acquiring) > count else { return }
            process(count)
            count += 1
            processedCount.store(count, ordering: .sequentiallyConsistent)
            if awaitedCount.load(ordering: .sequentiallyConsistent) <= count,
                awaitedCount.exchange(.max, ordering: .sequentiallyConsistent) != .max
            {
                completions.signal()
            }
        }
    }

    /// Does the second step of a chunk that the caller has not come to yet. False if there is none.
    private func finishOne(of processedCount: Int) -> Bool {
        let found = second.withLockIfAvailable { second in
            guard second.count < processedCount else { return false }
            finishNext(&second)
            return true
        }
        return found ?? false
    }

    // MARK: For either

    func process(_ index: Int) {
        let place = place(index)
        if firstFailure == nil {
            do throws(First.Failure) {
                // Out of its place, so that the step has the only reference to the memory and does not copy it.
                guard var chunk = place.chunk.take() else { return }
                try first?.process(&chunk)
                place.chunk = chunk
            } catch {
                firstFailure = error
            }
        }
        place.failure = firstFailure
    }

    private func finishNext(_ second: inout SecondStep) {
        let place = place(second.count)
        second.count += 1
        guard place.failure == nil else { return }
        if second.failure == nil {
            do throws(Second.Failure) {
                guard var chunk = place.chunk.take() else { return }
                try second.step.process(&chunk)
                place.chunk = chunk
            } catch {
                second.failure = error
            }
        }
        place.failure = second.failure
    }
}
