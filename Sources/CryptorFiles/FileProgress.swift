/// The progress of the work on a file.
///
/// The handler is called on the thread that called the function, or on a pool's thread, during work
/// on a file and while waiting for the other end of a pipe. It may throw to end the work; the
/// function then throws `cancelled` for a `CancellationError`, a `CryptorError` as it is (except
/// for `isPublished`), and `callbackFailed` with the error for any other, and leaves no file
/// behind. If it forks, it must not return in the child: the second thread exists only in the
/// parent.
public struct FileProgress: Sendable, Equatable {
    /// The bytes read so far. A message that is read twice counts twice. In the last report, it
    /// equals ``totalBytes``, if that is known.
    public let bytesDone: Int

    /// The number of bytes to read, or nil if it is not known, as for a pipe that has not ended.
    public let totalBytes: Int?
}
