/// A type that a whole message or its plaintext can be written into.
package protocol WrittenBytes {
    /// Creates a value of the bytes that `body` writes, at most `capacity` of them.
    init<Failure: Error>(
        byteCapacity capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure)
}
