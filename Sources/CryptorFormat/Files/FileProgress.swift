/// How far the work on a file has come.
public struct FileProgress: Sendable, Equatable {
    /// The bytes read so far. A message that is read twice counts twice.
    public let bytesDone: Int

    /// The bytes to read in all, or nil if nobody knows: a pipe.
    public let totalBytes: Int?

    /// Called while a file is worked on, and while the other end of a pipe is waited for, on the thread that called the
    /// function; may throw to cancel, and the function then throws `cancelled` and leaves no file behind. In a child that it
    /// forks it must not return: the thread that works beside it stays with the parent.
    public typealias Handler = (FileProgress) throws -> Void
}
