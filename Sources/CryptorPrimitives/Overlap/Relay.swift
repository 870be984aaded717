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

    /// The chunks under way: one at work, one that waits for it, one in the hands of the caller.
    private static var depth: Int { RelayBelt<Stage>.depth }

    private let belt: RelayBelt<Stage>
    private let isSerial: Bool
    private var budget: CoreBudget?
    private var thread: HelperThread?
    private var sentCount = 0
    private var receivedCount = 0

    /// - Parameter isSerial: whether the caller does all of the work.
    package init(_ stage: consuming Stage, isSerial: Bool) {
        belt = RelayBelt(stage)
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
        let limit = thread == nil ? 1 : Self.depth
        return sentCount - receivedCount >= limit ? try next() : nil
    }

    /// Waits for the oldest chunk; nil if none is under way.
    package mutating func next() throws(Stage.Failure) -> Stage.Chunk? {
        guard receivedCount < sentCount else { return nil }
        if thread != nil { belt.waitForOne() }
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
        let (belt, first) = (belt, sentCount)
        thread = HelperThread { belt.processAnnounced(from: first) }
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

    static var depth: Int { 3 }

    private var stage: Stage?
    private var failure: Stage.Failure?
    private let places = (0..<RelayBelt.depth).map { _ in Place() }
    /// The number of chunks announced since the thread started, and of those processed.
    private let announcedCount = Atomic<Int>(0)
    private let processedCount = Atomic<Int>(0)
    private let announcements = DispatchSemaphore(value: 0)
    private let completions = DispatchSemaphore(value: 0)

    init(_ stage: consuming Stage) {
        self.stage = consume stage
    }

    private func place(_ index: Int) -> Place { places[index % Self.depth] }

    // MARK: For the caller

    func put(_ chunk: Stage.Chunk, at index: Int) {
        place(index).chunk = chunk
    }

    func announce() {
        announcedCount.add(1, ordering: .releasing)
        announcements.signal()
    }

    func waitForOne() {
        completions.wait()
        _ = processedCount.load(ordering: .acquiring)
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

    func processAnnounced(from first: Int) {
        var count = 0
        while true {
            announcements.wait()
            guard announcedCount.load(ordering: .acquiring) > count else { return }
            process(first + count)
            count += 1
            processedCount.store(count, ordering: .releasing)
            completions.signal()
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
