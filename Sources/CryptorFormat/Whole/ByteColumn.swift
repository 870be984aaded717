import CryptorPrimitives

/// Byte strings in one array, one after the other, with the places where they begin: as Arrow, databases and Spark have a
/// column of them. Many small messages are worked on without an allocation for each.
public struct ByteColumn: Hashable, Sendable {
    /// All of the strings, one after the other.
    public var bytes: [UInt8] { storage }

    /// Where each string begins in ``bytes``, and where the last one ends: one number more than there are strings.
    public private(set) var offsets: [Int]

    @usableFromInline
    var storage: [UInt8]

    /// No strings.
    public init() {
        storage = []
        offsets = [0]
    }

    /// The strings between such offsets.
    /// - Parameters:
    ///   - bytes: the strings. What lies before the first offset and after the last is left out.
    ///   - offsets: where each begins, and where the last one ends.
    /// - Throws: `invalidRange` unless there is an offset, none is less than the one before, and all lie within `bytes`.
    public init(_ bytes: [UInt8], offsets: [Int]) throws(CryptorError) {
        guard let first = offsets.first, let last = offsets.last, first >= 0, last <= bytes.count,
            zip(offsets, offsets.dropFirst()).allSatisfy(<=)
        else { throw .invalidOffsets(byteCount: bytes.count) }
        self.storage = first == 0 && last == bytes.count ? bytes : Array(bytes[first..<last])
        self.offsets = first == 0 ? offsets : offsets.map { $0 - first }
    }

    /// These strings.
    public init(_ strings: some Sequence<some Collection<UInt8>>) {
        self.init()
        for string in strings { append(string) }
    }

    /// How many strings there are.
    public var count: Int { offsets.count - 1 }

    /// A string by its number, which as with an array has to be one of them.
    public subscript(index: Int) -> ArraySlice<UInt8> { storage[range(index)] }

    /// A string by its number, one of them, without what it costs to hold on to the array.
    @_lifetime(borrow self)
    public func span(_ index: Int) -> RawSpan { storage.rawSpan(range(index)) }

    func range(_ index: Int) -> Range<Int> { offsets[index]..<offsets[index + 1] }

    /// Adds a string.
    public mutating func append(_ string: RawSpan) {
        storage.append(contentsOf: string)
        endString()
    }

    /// Adds a string.
    public mutating func append(_ string: some Collection<UInt8>) {
        withRawSpan(of: string) { string in append(string) }
    }

    /// Adds what `body` appends to all that is there, as one string. It may not take anything away.
    /// - Throws: what `body` does; nothing is added then.
    @inlinable
    public mutating func append<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        // Compiled where it is called: what is generic costs more there than to append a short string.
        do throws(Failure) { try body(&storage) } catch {
            dropRest()
            throw error
        }
        endString()
    }

    /// What follows the last string becomes one.
    @usableFromInline
    mutating func endString() {
        precondition(storage.count >= offsets[count], "what was there before has been removed")
        offsets.append(storage.count)
    }

    /// Takes away what follows the last string.
    @usableFromInline
    mutating func dropRest() {
        precondition(storage.count >= offsets[count], "what was there before has been removed")
        storage.removeLast(storage.count - offsets[count])
    }

    /// Room for so many bytes and strings in all.
    mutating func reserve(byteCount: Int, count: Int) {
        storage.reserveCapacity(byteCount)
        offsets.reserveCapacity(count + 1)
    }

    /// Takes all strings away, and keeps the memory.
    public mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        offsets.removeLast(offsets.count - 1)
    }

    /// Adds the strings that `body` writes one after the other, at most so many bytes in all, and whose lengths it returns.
    mutating func appendSeveral<Failure: Error>(
        capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> [Int]
    ) throws(Failure) {
        var byteCounts: [Int] = []
        do throws(Failure) {
            try storage.appendBytes(capacity: capacity) { (output) throws(Failure) in byteCounts = try body(&output) }
        } catch {
            dropRest()
            throw error
        }
        for byteCount in byteCounts { offsets.append(offsets[count] + byteCount) }
        precondition(offsets[count] == storage.count, "the lengths are of other strings")
    }

    /// Adds a string of what `body` writes, at most so many bytes, to memory that was reserved.
    @inline(__always)
    mutating func append<Failure: Error>(
        capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        try append { (bytes) throws(Failure) in try bytes.appendBytes(capacity: capacity, body) }
    }
}

/// What became of a column of messages.
public struct ColumnResult: Sendable {
    /// A string for each, in their order; empty for one that failed.
    public internal(set) var column = ByteColumn()

    /// Those that failed, in their order.
    public internal(set) var failures: [Failure] = []

    /// A message that failed.
    public struct Failure: Sendable, Equatable {
        /// Its number in the column.
        public let index: Int
        /// What was wrong with it.
        public let error: CryptorError
    }

    init() {}

    init(_ results: [Result<[UInt8], CryptorError>]) {
        for result in results {
            add { (column) throws(CryptorError) in
                let bytes = try result.get()
                column.append { $0 += bytes }
            }
        }
    }

    /// Does `body` for the next string.
    mutating func add(_ body: (inout ByteColumn) throws(CryptorError) -> Void) {
        do throws(CryptorError) { try body(&column) } catch {
            failures.append(Failure(index: column.count, error: error))
            column.append([])
        }
    }
}

extension CryptorError {
    fileprivate static func invalidOffsets(byteCount: Int) -> CryptorError {
        CryptorError(
            .invalidRange,
            "The offsets are to be at least one number, in ascending order, from 0 to \(byteCount). Check where they come from."
        )
    }
}
