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

    /// Whether the file system has refused to set permissions or times of the output, as SMB,
    /// WebDAV and S3 may when they are mounted. The output is complete then, and will be published
    /// with those that the file system gives it unless the handler throws. An existing file is
    /// never replaced by one to which anybody else has more rights.
    public let lacksAttributes: Bool

    init(bytesDone: Int, totalBytes: Int?, lacksAttributes: Bool = false) {
        self.bytesDone = bytesDone
        self.totalBytes = totalBytes
        self.lacksAttributes = lacksAttributes
    }
}
