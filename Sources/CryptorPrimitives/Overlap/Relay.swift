import Dispatch
import Synchronization

/// A step of the work on a stream that takes one chunk after the other.
package protocol RelayStage: ~Copyable, Sendable {
    associatedtype Chunk: Sendable
    associatedtype Failure: Error

    /// After it has thrown, it is not called again.
    mutating func process(_ chunk: inout Chunk) throws(Failure)
}

/// A stage that a second thread works at, while the caller fills the next chunks and empties the last ones. Chunks come
/// out in the order in which they went in.
///
/// The first chunks are processed where they are sent, so that small work never touches a thread; so are all chunks that
/// find no core free.
package struct Relay<Stage: RelayStage & ~Copyable>: ~Copyable {
    /// The chunks processed by the caller before a thread is worth its start.
    private static var serialChunkCount: Int { 2 }

    private let belt: RelayBelt<Stage>
    private let isSerial: Bool
    private var budget: CoreBudget?
    private var thread: HelperThread?
    private var sentCount = 0
    private var receivedCount = 0

    /// - Parameters:
    ///   - depth: the chunks under way at most. When all of them wait for the thread, the caller waits for half of them: to
    ///     wake it costs the thread as much as 16 KiB of its work on a virtual machine.
    ///   - isSerial: whether the caller does all of the work.
    package init(_ stage: consuming Stage, depth: Int = 6, isSerial: Bool) {
        belt = RelayBelt(stage, depth: depth)
        self.isSerial = isSerial
    }

    deinit {
        if thread != nil { belt.close() }
    }

    /// Hands a chunk to the stage.
    /// - Returns: the oldest chunk, processed, once enough are under way; at once if it was processed here.
    /// - Throws: what the stage threw at it.
    package mutating func pass(_ chunk: consuming Stage.Chunk) throws(Stage.Failure) -> Stage.Chunk? {
        if sentCount >= Self.serialChunkCount { startThread() }
        belt.put(chunk, at: sentCount)
        if thread == nil { belt.process(sentCount) } else { belt.announce() }
        sentCount += 1
        let limit = thread == nil ? 1 : belt.depth
        return sentCount - receivedCount >= limit ? try next() : nil
    }

    /// Waits for the oldest chunk; nil if none is under way.
    package mutating func next() throws(Stage.Failure) -> Stage.Chunk? {
        guard receivedCount < sentCount else { return nil }
        if thread != nil { belt.wait(for: receivedCount + 1, of: sentCount) }
        defer { receivedCount += 1 }
        return try belt.take(receivedCount)
    }

    /// Gives the stage back. All chunks have been received.
    package mutating func finish() -> Stage {
        precondition(receivedCount == sentCount)
        if thread != nil {
            belt.close()
            thread = nil
        }
        guard let stage = belt.takeStage() else { preconditionFailure("the relay has ended") }
        return stage
    }

    private mutating func startThread() {
        guard !isSerial, thread == nil else { return }
        if budget == nil { budget = CoreBudget() } else { budget?.askForHelper() }
        guard budget?.hasHelper == true else { return }
        belt.start(at: sentCount)
        let belt = belt
        thread = HelperThread { belt.processAnnounced() }
    }
}

/// What both threads know of a relay.
private final class RelayBelt<Stage: RelayStage & ~Copyable>: @unchecked Sendable {
    // Unchecked: a place belongs to the caller until its chunk is announced and again after it was waited for, and to the
    // thread in between. The stage belongs to the thread for as long as there is one.
    private final class Place {
        var chunk: Stage.Chunk?
        var failure: Stage.Failure?
    }

    private var stage: Stage?
    private var failure: Stage.Failure?
    private let places: [Place]
    /// The numbers of chunks announced and processed, those before the thread included.
    private let announcedCount = Atomic<Int>(0)
    private let processedCount = Atomic<Int>(0)
    /// The number of processed chunks that the caller waits for; `Int.max` if it does not wait.
    private let awaitedCount = Atomic<Int>(.max)
    private let announcements = DispatchSemaphore(value: 0)
    private let completions = DispatchSemaphore(value: 0)

    init(_ stage: consuming Stage, depth: Int) {
        self.stage = consume stage
        places = (0..<depth).map { _ in Place() }
    }

    var depth: Int { places.count }

    private func place(_ index: Int) -> Place { places[index % depth] }

    // MARK: For the caller

    func put(_ chunk: Stage.Chunk, at index: Int) {
        place(index).chunk = chunk
    }

    func announce() {
        announcedCount.add(1, ordering: .releasing)
        announcements.signal()
    }

    /// Before the thread starts: `count` chunks have been processed.
    func start(at count: Int) {
        announcedCount.store(count, ordering: .relaxed)
        processedCount.store(count, ordering: .relaxed)
    }

    /// Returns when `count` chunks have been processed; if it has to wait, then until more are, of those that were sent.
    func wait(for count: Int, of sentCount: Int) {
        guard processedCount.load(ordering: .acquiring) < count else { return }
        let awaited = min(count - 1 + max(1, depth / 2), sentCount)
        awaitedCount.store(awaited, ordering: .sequentiallyConsistent)
        // Either this sees what the thread has processed, or the thread sees that this waits.
        if processedCount.load(ordering: .sequentiallyConsistent) >= awaited,
            awaitedCount.exchange(.max, ordering: .sequentiallyConsistent) != .max
        {
            return
        }
        completions.wait()
    }

    func take(_ index: Int) throws(Stage.Failure) -> Stage.Chunk? {
        let place = place(index)
        if let failure = place.failure { throw failure }
        return place.chunk.take()
    }

    /// The thread ends when it comes to a signal without a chunk.
    func close() {
        announcements.signal()
    }

    func takeStage() -> Stage? {
        stage.take()
    }

    // MARK: For the thread

    func processAnnounced() {
        var count = processedCount.load(ordering: .relaxed)
        while true {
            announcements.wait()
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

    // MARK: For either

    func process(_ index: Int) {
        let place = place(index)
        if failure == nil {
            do throws(Stage.Failure) {
                // Out of its place, so that the stage has the only reference to the memory and does not copy it.
                guard var chunk = place.chunk.take() else { return }
                try stage?.process(&chunk)
                place.chunk = chunk
            } catch {
                failure = error
            }
        }
        place.failure = failure
    }
}
