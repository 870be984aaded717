import CryptorFormat

/// Names a source or a destination: a path as a `String`, the `URL` of a file, or a
/// ``FileEndpoint``, which can also name a descriptor or a file below an open directory.
public protocol FileLocation {
    /// The file or the stream.
    /// - Throws: `invalidPath` if this names no file.
    var endpoint: FileEndpoint { get throws(CryptorError) }
}
