package import CryptorPrimitives
import CryptorSystem

/// Reads what follows the header of one message: ciphertext in whole blocks, and the tail. It decides whether the
/// message is authentic, and what its last block holds. Whole messages do without it, but for large ones that
/// only one candidate may open.
package struct MessageReader: ~Copyable, Sendable {
    private let header: Header
    private let terms: ReadingTerms
    /// For each candidate, in the order in which they are tried, the HMAC of the message.
    private let tags: [CandidateTag]
    /// Decrypts the ciphertext as it comes. Nil if it is only verified.
    private var cipher: Optional<AESCipher>
    private var secondThread = SecondThread()
    /// The length of the ciphertext so far, without the last block.
    package private(set) var ciphertextByteCount = 0
    /// The latest block of the ciphertext that was read, to which CBC chains the next one; at the start, the IV.
    private var previousBlock: [UInt8]

    /// Derives the keys.
    /// - Parameters:
    ///   - header: the header of a message that the terms allow.
    ///   - keys: the keys of the message, if they have been derived and there is only one candidate.
    ///   - releasingUnverified: whether the ciphertext becomes plaintext as it comes, for which there must be one
    ///     candidate. Otherwise it is only hashed, for each candidate, and a caller that has kept it may decrypt it
    ///     afterwards.
    package init(
        _ header: Header, terms: ReadingTerms, keys: KeyPair? = nil, releasingUnverified: Bool
    ) throws(CryptorError) {
        let candidates = try terms.candidates(for: header)
        // All at once takes less time than one after the other.
        let pairs =
            if let keys, candidates.count == 1 { [keys] } else {
                try KeyDerivation.keys(
                    for: candidates.map { terms.credential.keySource(of: $0, for: header) })
            }
        precondition(pairs.count == candidates.count)
        var tags: [CandidateTag] = []
        for (candidate, keys) in zip(candidates, pairs) {
            tags.append(try CandidateTag(keys, of: candidate, header))
        }
        var cipher: AESCipher?
        if releasingUnverified {
            precondition(tags.count == 1)
            cipher = try openSSL { () throws(OpenSSLError) in
                try AESCipher(.decrypt, for: header, keys: pairs[0])
            }
        }
        self.header = header
        self.terms = terms
        self.tags = tags
        previousBlock = header.iv
        self.cipher = cipher
    }

    // MARK: Ciphertext, in whole blocks without the last

    /// Appends the plaintext of `ciphertext`, **unverified**.
    @_lifetime(output: copy output)
    mutating func read(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError)
    {
        let cores = secondThread.reserveCores(forNext: ciphertext.byteCount)
        try openSSL { () throws(OpenSSLError) in
            if cores.includeSecond, ciphertext.byteCount >= MessagePiece.sharedByteCount {
                // A worker hashes the ciphertext while the caller decrypts it.
                return try tags[0].tag.lead(ciphertext) { (piece) throws(OpenSSLError) in
                    try cipher?.update(piece, into: &output)
                }
            }
            for start in stride(from: 0, to: ciphertext.byteCount, by: MessagePiece.byteCount) {
                let piece = ciphertext.extracting(droppingFirst: start).extracting(
                    first: MessagePiece.byteCount)
                try tags[0].tag.update(piece, besideCaller: cores.includeSecond)
                try cipher?.update(piece, into: &output)
            }
        }
        note(ciphertext)
    }

    /// Hashes `ciphertext`, or has a worker do so while the caller reads it.
    /// - Returns: an array that is not needed any more, to be filled with the next ciphertext.
    package mutating func hash(_ ciphertext: [UInt8], besideCaller: Bool) throws(CryptorError)
        -> [UInt8]?
    {
        withRawSpan(of: ciphertext) { ciphertext in note(ciphertext) }
        return try openSSL { () throws(OpenSSLError) in
            var unneeded: [UInt8]?
            for tag in tags {
                unneeded = try tag.tag.update(ciphertext, besideCaller: besideCaller)
            }
            return unneeded
        }
    }

    private mutating func note(_ ciphertext: RawSpan) {
        ciphertextByteCount += ciphertext.byteCount
        guard ciphertext.byteCount > 0 else { return }
        previousBlock = Array(copying: ciphertext.extracting(last: FormatSize.block))
    }

    // MARK: The end

    /// Compares the tag, and only then looks at the padding. Called once.
    /// - Parameter tail: the last block and the tag.
    package mutating func finish(_ tail: RawSpan) throws(CryptorError) -> VerifiedMessage {
        precondition(tail.byteCount == FormatSize.tail)
        let (last, tag) = (
            tail.extracting(droppingLast: FormatSize.tag), tail.extracting(last: FormatSize.tag)
        )
        for found in tags {
            let isAuthentic = try openSSL { () throws(OpenSSLError) in
                try found.tag.update(last)
                return try found.tag.finish(matching: tag)
            }
            guard isAuthentic else { continue }
            terms.credential.cache?.keep(found.keys, of: found.candidate, for: header)
            return VerifiedMessage(
                header: header, keys: found.keys, credentialIndex: found.candidate.index,
                ciphertextByteCount: ciphertextByteCount,
                lastPlaintext: try lastPlaintext(last, under: found.keys))
        }
        throw .authenticationFailed
    }

    /// Decrypts the last block, which has been authenticated, and takes its padding off.
    private func lastPlaintext(_ last: RawSpan, under keys: KeyPair) throws(CryptorError)
        -> SecretBytes
    {
        let padded = try openSSL { () throws(OpenSSLError) in
            var cipher = try AESCipher(.decrypt, key: keys.encryptionKey, iv: previousBlock)
            return try SecretBytes(count: last.byteCount) { (padded) throws(OpenSSLError) in
                try cipher.update(last, into: &padded)
            }
        }
        return try padded.withRawSpan { (padded) throws(CryptorError) in
            guard let count = PKCS7Padding.plaintextByteCount(ofLastBlock: padded) else {
                throw .corruptPadding
            }
            return SecretBytes(copying: padded.extracting(first: count))
        }
    }

    /// Calls `finish(_:)`, then appends the plaintext of the last block.
    @_lifetime(output: copy output)
    mutating func finish(_ tail: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let message = try finish(tail)
        try output.requireRoom(for: message.lastPlaintext.count)
        message.lastPlaintext.withRawSpan { last in last.append(to: &output) }
    }
}

/// The HMAC of a message under the keys of one candidate.
// A class, because arrays cannot hold what cannot be copied. Unchecked: only the reader that made it uses it.
final class CandidateTag: @unchecked Sendable {
    let keys: KeyPair
    let candidate: Candidate
    var tag: TrailingAuthenticator

    init(_ keys: KeyPair, of candidate: Candidate, _ header: Header) throws(CryptorError) {
        self.keys = keys
        self.candidate = candidate
        tag = try TrailingAuthenticator(hmacKey: keys.hmacKey, header: header)
    }
}

/// A message that was found authentic.
package struct VerifiedMessage: Sendable {
    package let header: Header
    package let keys: KeyPair
    /// The candidate's place in the keyring: 0 for the primary.
    package let credentialIndex: Int
    /// The length of the ciphertext without the last block.
    package let ciphertextByteCount: Int
    /// The plaintext of the last block: 0 to 15 bytes.
    package let lastPlaintext: SecretBytes

    package var plaintextByteCount: Int { ciphertextByteCount + lastPlaintext.count }
}
