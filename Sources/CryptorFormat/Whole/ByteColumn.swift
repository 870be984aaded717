import CryptorPrimitives

/// Byte strings in one array, one after the other, with the offsets where they begin: the layout of a column in Arrow,
/// databases and Spark. It avoids an allocation for each of many small messages.
public struct ByteColumn: Hashable, Sendable {
    /// All of the strings, one after the other.
    public var bytes: [UInt8] { storage }

    /// Where each string begins in ``bytes``, and where the last one ends: one number more than there are strings.
    public private(set) var offsets: [Int]

    @usableFromInline
    var storage: [UInt8]

    /// Creates a column without strings.
    public init() {
        storage = []
        offsets = [0]
    }

    /// Creates a column of the strings between these offsets.
    /// - Parameters:
    ///   - bytes: the strings. Bytes before the first offset and after the last are left out.
    ///   - offsets: where each string begins, and where the last one ends.
    /// - Throws: `invalidRange` unless there is an offset, none is less than the one before it, and all lie within
    ///   `bytes`.
    public init(_ bytes: [UInt8], offsets: [Int]) throws(CryptorError) {
        guard let first = offsets.first, let last = offsets.last, first >= 0, last <= bytes.count,
            zip(offsets, offsets.dropFirst()).allSatisfy(<=)
        else { throw .invalidOffsets(byteCount: bytes.count) }
        self.storage = first == 0 && last == bytes.count ? bytes : Array(bytes[first..<last])
        self.offsets = first == 0 ? offsets : offsets.map { $0 - first }
    }

    /// Creates a column of these strings.
    public init(_ strings: some Sequence<some Collection<UInt8>>) {
        self.init()
        for string in strings { append(string) }
    }

    /// How many strings there are.
    public var count: Int { offsets.count - 1 }

    /// The string at this index, which as with an array must be less than ``count``.
    public subscript(index: Int) -> ArraySlice<UInt8> { storage[range(index)] }

    /// The string at this index, which must be less than ``count``. Unlike the subscript, this does not retain the
    /// array.
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

    /// Adds what `body` appends to ``bytes``, as one string. `body` must not remove anything.
    /// - Throws: what `body` throws; nothing is added then.
    @inlinable
    public mutating func append<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        // Inlinable, because an unspecialised call of this generic function costs more than appending a short string.
        do throws(Failure) { try body(&storage) } catch {
            dropRest()
            throw error
        }
        endString()
    }

    /// Makes one string of the bytes that follow the last string.
    @usableFromInline
    mutating func endString() {
        precondition(storage.count >= offsets[count], "what was there before has been removed")
        offsets.append(storage.count)
    }

    /// Removes the bytes that follow the last string.
    @usableFromInline
    mutating func dropRest() {
        precondition(storage.count >= offsets[count], "what was there before has been removed")
        storage.removeLast(storage.count - offsets[count])
    }

    /// Reserves room for this many bytes and strings in total.
    mutating func reserve(byteCount: Int, count: Int) {
        storage.reserveCapacity(byteCount)
        offsets.reserveCapacity(count + 1)
    }

    /// Removes all strings, and keeps the memory.
    public mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        offsets.removeLast(offsets.count - 1)
    }

    /// Adds the strings that `body` writes one after the other, at most `capacity` bytes in total. `body` returns their
    /// lengths.
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

    /// Adds the string that `body` writes, at most `capacity` bytes, to memory that was reserved.
    @inline(__always)
    mutating func append<Failure: Error>(
        capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        try append { (bytes) throws(Failure) in try bytes.appendBytes(capacity: capacity, body) }
    }
}

/// The results for a column of plaintexts or messages.
public struct ColumnResult: Sendable {
    /// One string for each input, in their order; empty for an input that failed.
    public internal(set) var column = ByteColumn()

    /// The inputs that failed, in their order.
    public internal(set) var failures: [Failure] = []

    /// An input that failed.
    public struct Failure: Sendable, Equatable {
        /// Its index in the column.
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

    /// Lets `body` add the next string. If it throws, the string is empty and its error is among the failures.
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
