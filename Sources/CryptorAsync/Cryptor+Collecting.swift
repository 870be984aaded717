import CryptorSystem
public import CryptorFormat
import CryptorFiles
import CryptorPrimitives

extension Cryptor {
    /// Collects a message from a stream and decrypts it. Nothing is released before its HMAC has matched.
    ///
    /// A message that is too long, or whose header is not accepted, is refused as soon as that is known, and no more of
    /// it is read.
    /// - Parameters:
    ///   - source: the message, in chunks of any size.
    ///   - byteCount: the most bytes that the message may have. The message and its plaintext, which is shorter, are in
    ///     memory at the same time; where shortened passwords are accepted, a second copy of the ciphertext as well.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - pool: where keys are derived, and large messages decrypted.
    ///   - isolation: the caller's, on which the source is read.
    /// - Returns: the plaintext, authentic.
    /// - Throws: `messageTooLong`, `cancelled`, `overloaded` where the pool refuses, what
    ///   ``decrypt(_:with:accepting:)->[UInt8]`` throws, or what the source throws.
    public static func decrypt<Source: AsyncSequence>(
        collecting source: Source, upTo byteCount: Int, with credential: Credential,
        accepting: Acceptance = .default, on pool: CryptorPool = .shared,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [UInt8] where Source.Element: Collection<UInt8> {
        var framing = MessageFraming(ReadingTerms(credential: credential, accepting: accepting))
        var message: [UInt8] = []
        var chunks = source.makeAsyncIterator()
        while let chunk = try await chunks.next(isolation: isolation) {
            if Task.isCancelled { throw CryptorError.cancelled }
            guard chunk.count <= byteCount - message.count else {
                throw CryptorError(
                    .messageTooLong,
                    "The message is longer than the limit of \(byteCount) bytes that it is collected up to. Raise the limit, "
                        + "or decrypt it as a file.")
            }
            try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                _ = try framing.readHeader(chunk)
                message.append(contentsOf: chunk)
            }
        }
        // A cancelled source may end as if the message were complete.
        if Task.isCancelled { throw CryptorError.cancelled }
        return try await pool.decrypt(message, with: credential, accepting: accepting)
    }
}
