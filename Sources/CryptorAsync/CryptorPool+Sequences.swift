import CryptorSystem
public import CryptorFormat
public import CryptorFiles
import CryptorPrimitives

// From asynchronous sequences to files, and back.
extension CryptorPool {
    /// Encrypts a sequence of bytes, such as the body of a request, into a message file. A file at
    /// a path appears, complete, when the sequence has ended; a failure before that leaves nothing
    /// behind.
    /// - Parameters:
    ///   - source: the plaintext, in chunks of any size. Each chunk is requested once the one
    ///     before it has been written.
    ///   - destination: where to write. It is checked before anything is read.
    ///   - credential: a password or keys.
    ///   - options: whether a file that exists at `destination` may be replaced, and whether base64
    ///     text is written.
    ///   - isolation: the caller's, on which the source is read.
    /// - Throws: `destinationExists`, `inputOutput`, `invalidPath`, `cancelled`, `overloaded`
    ///   (before anything is read), the errors of `Cryptor.encrypt(_:with:)`, or the
    ///   error of the source.
    public func encryptFile<Source: AsyncSequence>(
        from source: Source, to destination: some FileLocation, with credential: Credential,
        options: FileOptions = FileOptions(), isolation: isolated (any Actor)? = #isolation
    ) async throws where Source.Element: Collection<UInt8> {
        let endpoint = try destination.endpoint
        // Before the destination is opened, because a FIFO would lose its reader if the message
        // were refused then.
        let work = EncryptingStream(credential, self)
        try work.admit()
        // Between two chunks, no thread works for this call, but it must still end.
        pending.begin()
        defer { pending.end() }
        let file = Lock<OutputFile?>(nil)
        try await files.run { (cancellation) throws(CryptorError) in
            try file.withLock { (file) throws(CryptorError) in
                file = try OutputFile.open(endpoint, options, progress: cancellation.check)
            }
        }
        let message = StreamIterator(source, work: work)
        while let piece = try await message.next(isolation: isolation) {
            try await files.run { (cancellation) throws(CryptorError) in
                try file.withLock { (file) throws(CryptorError) in
                    file?.report(to: cancellation.check)
                    try file?.write(piece)
                }
            }
        }
        try await files.run { (cancellation) throws(CryptorError) in
            try file.withLock { (file) throws(CryptorError) in
                file?.report(to: cancellation.check)
                try file.take()?.publish()
            }
        }
    }
}

extension VerifiedFile {
    /// A part of the plaintext, chunk by chunk. Each chunk is read on a thread of `pool` when it is
    /// requested.
    ///
    /// ```swift
    /// for try await chunk in film.chunks(of: 1_000_000..<9_000_000) {
    ///     try await response.write(chunk)
    /// }
    /// ```
    /// - Parameters:
    ///   - range: offsets into the plaintext in bytes, as for `read(_:)`; nil for all of it.
    ///   - byteCount: the maximum number of bytes per chunk, at least 1.
    ///   - pool: the pool whose threads read.
    /// - Returns: authentic plaintext, in arrays, none of them empty. It throws the errors of
    ///   `read(_:)`, and `cancelled`; after an error, the next call of an iterator tries the same
    ///   chunk again. The sequence can be read any number of times.
    public func chunks(
        of range: Range<Int>? = nil, upTo byteCount: Int = 256 * 1024,
        on pool: CryptorPool = .shared
    ) -> some AsyncSequence<[UInt8], CryptorError> & Sendable {
        let range = range ?? 0..<plaintextByteCount
        return VerifiedChunks(
            file: self, range: range, byteCount: max(1, byteCount), pool: pool,
            offset: range.lowerBound)
    }
}

/// A part of a file, and its own iterator.
private struct VerifiedChunks: AsyncSequence, AsyncIteratorProtocol {
    let file: VerifiedFile
    let range: Range<Int>
    let byteCount: Int
    let pool: CryptorPool
    var offset: Int

    func makeAsyncIterator() -> VerifiedChunks { self }

    mutating func next(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8]? {
        let file = file
        let range = range
        let start = offset
        guard start < range.upperBound || start == range.lowerBound else { return nil }
        let (next, overflows) = start.addingReportingOverflow(byteCount)
        let end = overflows ? range.upperBound : Swift.min(next, range.upperBound)
        let chunk = try await pool.files.run { (_) throws(CryptorError) in
            try file.read(start..<end)
        }
        guard !chunk.isEmpty else { return nil }
        offset = start + chunk.count
        return chunk
    }
}
