import CryptorFormat

/// The work on a stream of bytes, piece by piece.
protocol StreamWork: AnyObject {
    /// Prepares the work, before the source is touched. Called until it succeeds.
    /// - Throws: `overloaded` if the pool refuses the work, `cancelled`, or the reason why it is
    ///   impossible.
    func begin(isolation: isolated (any Actor)?) async throws(CryptorError)

    /// The maximum number of bytes to take next.
    var nextByteCount: Int { get }

    /// Takes a piece, and returns the output that is ready.
    func update(_ piece: some Collection<UInt8>, isolation: isolated (any Actor)?)
        async throws(CryptorError) -> [UInt8]

    /// Returns the rest of the output, at the end of the source. Called once.
    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8]
}

extension CryptorError {
    static let concurrentUse = CryptorError(
        .concurrentUse,
        """
        Two tasks asked the stream for its next bytes at the same time. Use it from one task only.
        """)
}
