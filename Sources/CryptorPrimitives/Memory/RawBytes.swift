import CryptorSystem
import COpenSSL

// The bridges between collections and spans, so that no other target needs a pointer. An array's
// own `span` begins with macOS 26; those of buffers and slices can be used on older systems.

/// Calls `body` with the bytes of `collection`: in place if it is an array or the slice of one, or
/// long and contiguous, otherwise from a copy, which is cleansed.
// Inlined, so that for arrays and their slices no type is built at run time from the type of the
// result.
@inlinable @inline(__always)
package func withRawSpan<Bytes: Collection<UInt8>, Result, Failure: Error>(
    of collection: Bytes, _ body: (RawSpan) throws(Failure) -> Result
) throws(Failure) -> Result {
    if Bytes.self == [UInt8].self {
        // Most collections are arrays or their slices, for which the general case below would take
        // a tenth of a short message's time. The cast is to the same type.
        let array = unsafeBitCast(collection, to: [UInt8].self)
        return try array.withUnsafeBufferPointer { (bytes) throws(Failure) in
            try body(bytes.span.bytes)
        }
    }
    if Bytes.self == ArraySlice<UInt8>.self {
        let slice = unsafeBitCast(collection, to: ArraySlice<UInt8>.self)
        return try body(slice.span.bytes)
    }
    if var copy = shortCopy(of: collection) {
        defer { cleanse(&copy) }
        return try copy.withUnsafeBufferPointer { (bytes) throws(Failure) in
            try body(bytes.span.bytes)
        }
    }
    // With optionals, not a generic function, fewer types are built at run time from those of
    // result and error.
    var result: Result?
    var failure: Failure?
    collection.withContiguousStorageIfAvailable { bytes in
        do throws(Failure) { result = try body(bytes.span.bytes) } catch { failure = error }
    }
    if let result { return result }
    if let failure { throw failure }
    preconditionFailure("withRawSpan: the body was not called")
}

/// Whether others may write to the bytes that `withRawSpan(of:_:)` passes on: they are neither an
/// array's nor a copy. They may be the mapping of a file (`mmap(2)`) to which another process
/// writes, so what is verified must not be read a second time.
@inlinable @inline(__always)
package func mayChange<Bytes: Collection<UInt8>>(_ collection: Bytes) -> Bool {
    if Bytes.self == [UInt8].self || Bytes.self == ArraySlice<UInt8>.self { return false }
    return collection.count > shortByteCount
}

/// Calls `body` with a copy of these bytes if `mayChange` is true, otherwise with themselves.
@inlinable @inline(__always)
package func withStableSpan<Success, Failure: Error>(
    of bytes: RawSpan, mayChange: Bool, _ body: (RawSpan) throws(Failure) -> Success
) throws(Failure) -> Success {
    guard mayChange else { return try body(bytes) }
    // Messages are not secret, so the copy is not cleansed.
    let copy = Array(copying: bytes)
    return try copy.withUnsafeBufferPointer { (copy) throws(Failure) in try body(copy.span.bytes) }
}

/// The longest copy on the stack: Swift would put a longer one on the heap.
@inlinable package var stackByteCount: Int { 1024 }

/// Calls `body` with a copy on the stack: of a message that is not secret, up to `stackByteCount`
/// bytes.
@inlinable @inline(__always)
package func withStackCopy<Failure: Error>(
    of bytes: RawSpan, _ body: (RawSpan) throws(Failure) -> Void
) throws(Failure) {
    var failure: Failure?
    // The length is a constant (``stackByteCount``), so that nothing decides between stack and heap
    // at run time.
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { room in
        // A release does not check the bounds of the slice.
        precondition(bytes.byteCount <= room.count)
        let copy = UnsafeMutableRawBufferPointer(rebasing: room[..<bytes.byteCount])
        bytes.withUnsafeBytes { bytes in copy.copyMemory(from: bytes) }
        do throws(Failure) { try body(UnsafeRawBufferPointer(copy).bytes) } catch {
            failure = error
        }
    }
    if let failure { throw failure }
}

/// Up to this length, collections other than arrays are copied.
@usableFromInline let shortByteCount = 4096

/// A copy of `collection` if it is short or its storage is not contiguous, otherwise nil.
// A collection such as `Data` calls `body` below many functions of its own. A processor predicts
// the returns of 16 to 32 calls, and OpenSSL makes most of them: a short message takes less time
// with a copy.
@usableFromInline
func shortCopy(of collection: some Collection<UInt8>) -> [UInt8]? {
    var copy: [UInt8]?
    let isContiguous: Void? = collection.withContiguousStorageIfAvailable { bytes in
        if bytes.count <= shortByteCount { copy = Array(bytes) }
    }
    guard isContiguous == nil else { return copy }
    // Nothing of an array that grows is left behind, and nothing is shared with the collection: all
    // is cleansed.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(collection.count)
    bytes.append(contentsOf: collection)
    return bytes
}

@usableFromInline
package func cleanse(_ copy: inout [UInt8]) {
    copy.withUnsafeMutableBytes { copy in OPENSSL_cleanse(copy.baseAddress, copy.count) }
}

extension RawSpan {
    /// The byte at `offset`, which must be within bounds.
    @inlinable
    package func byte(at offset: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Appends these bytes to `output`, which must have room for them.
    @_lifetime(output: copy output)
    package func append(to output: inout OutputRawSpan) {
        precondition(byteCount <= output.freeCapacity, "no room for \(byteCount) bytes")
        output.withUnsafeMutableBytes { buffer, count in
            withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: source)
            }
            count += byteCount
        }
    }
}

#if compiler(<6.3)
@usableFromInline let zeros = [UInt8](repeating: 0, count: 64 * 1024)
#endif

extension Array where Element == UInt8 {
    /// The bytes of `range`, which must be within bounds.
    @inlinable
    @_lifetime(borrow self)
    package func rawSpan(_ range: Range<Int>) -> RawSpan {
        // The slice shares the array's memory.
        let slice = self[range]
        return _overrideLifetime(slice.span.bytes, borrowing: self)
    }

    /// Holds the bytes that `body` writes, at most `capacity`. From Swift 6.3 on, the memory is one
    /// allocation and is not filled with zeros first.
    @inlinable @inline(__always)
    package init<Failure: Error>(
        byteCapacity capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        // `init(unsafeUninitializedCapacity:)` would look up the type of its storage each time.
        self = []
        try appendBytes(capacity: capacity, body)
    }

    /// A copy of `bytes`.
    @inlinable
    package init(copying bytes: RawSpan) {
        self = bytes.withUnsafeBytes { buffer in Array(buffer) }
    }

    package mutating func append(contentsOf bytes: RawSpan) {
        bytes.withUnsafeBytes { buffer in append(contentsOf: buffer) }
    }

    /// Appends the bytes that `body` writes, at most `capacity`. From Swift 6.3 on, the memory is
    /// not filled with zeros first. Bytes written before `body` throws stay appended.
    @inlinable @inline(__always)
    package mutating func appendBytes<Failure: Error>(
        capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        // With a capacity of 0, the standard library would write a count into the memory that all
        // empty arrays share.
        guard capacity > 0 else {
            var none = OutputRawSpan()
            return try body(&none)
        }
        func write(to memory: UnsafeMutableBufferPointer<UInt8>, count: inout Int) throws(Failure) {
            var output = OutputRawSpan(
                buffer: UnsafeMutableRawBufferPointer(memory), initializedCount: count)
            defer { count = output.byteCount }
            try body(&output)
        }
        #if compiler(>=6.3)
        try append(addingCapacity: capacity) {
            (elements: inout OutputSpan<UInt8>) throws(Failure) in
            try elements.withUnsafeMutableBufferPointer(write)
        }
        #else
        // Swift 6.2 can append only existing bytes to an array, so zeros are appended and then
        // overwritten. They are copied, since appending them one by one takes a hundred times as
        // long without optimisation.
        let start = count
        var written = 0
        while count - start < capacity {
            append(contentsOf: zeros.prefix(capacity - (count - start)))
        }
        defer { removeLast(capacity - written) }
        try withUnsafeMutableBufferPointer { (buffer) throws(Failure) in
            try write(to: UnsafeMutableBufferPointer(rebasing: buffer[start...]), count: &written)
        }
        #endif
    }
}

/// Returns memory on the heap with the bytes that `body` writes, at most `capacity`. The caller
/// must `free` it.
package func heapBytes<Failure: Error>(
    capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
) throws(Failure) -> UnsafeMutableRawBufferPointer {
    guard let start = malloc(max(1, capacity)) else {
        fatalError("out of memory: \(capacity) bytes")
    }
    let memory = UnsafeMutableRawBufferPointer(start: start, count: capacity)
    var output = OutputRawSpan(buffer: memory, initializedCount: 0)
    do throws(Failure) { try body(&output) } catch {
        free(start)
        throw error
    }
    return UnsafeMutableRawBufferPointer(start: start, count: output.byteCount)
}
