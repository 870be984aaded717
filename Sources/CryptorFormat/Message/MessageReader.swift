import CryptorPrimitives
import CryptorSystem

/// Reads the rest of one message that comes in parts, after its header: ciphertext in whole blocks,
/// and the tail. It finds out under which candidate the message is authentic, and decrypts its last
/// block.
package struct MessageReader: ~Copyable, Sendable {
    private let reading: Reading
    /// In the order in which they are tried.
    private let attempts: [Attempt]
    private var work = LargeWork()
    /// The length of the ciphertext so far, without the last block.
    private var ciphertextByteCount = 0
    /// The latest block of the ciphertext that was read, to which CBC chains the next one; at the
    /// start, the IV.
    private var previousBlock: [UInt8]

    /// - Parameter reading: with the keys of all candidates: all of them hash the message.
    package init(_ reading: Reading) throws(CryptorError) {
        attempts = try openSSL { () throws(OpenSSLError) in
            var attempts: [Attempt] = []
            for request in reading.requests {
                attempts.append(try Attempt(request, reading.header))
            }
            return attempts
        }
        self.reading = reading
        previousBlock = reading.header.iv
    }

    // MARK: Ciphertext, in whole blocks without the last

    /// Appends the plaintext of `ciphertext`, **unverified**. There must be one candidate.
    /// - Parameter mayChange: whether others may write to `ciphertext`, which is then read once.
    @_lifetime(output: copy output)
    mutating func read(
        _ ciphertext: RawSpan, mayChange: Bool, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        precondition(attempts.count == 1 && attempts[0].engine != nil)
        let cores = work.reserveCores(forNext: ciphertext.byteCount)
        try openSSL { () throws(OpenSSLError) in
            try attempts[0].engine?.openUnverified(
                ciphertext, mayChange: mayChange, into: &output,
                besideCaller: cores.includeSecond, lastBlock: &previousBlock)
        }
        ciphertextByteCount += ciphertext.byteCount
    }

    /// Hashes `ciphertext`, for each candidate, or has a worker do so while the caller reads it.
    /// - Returns: an array that is not needed any more, to be filled with the next ciphertext.
    package mutating func hash(
        _ ciphertext: [UInt8], besideCaller: Bool
    ) throws(CryptorError) -> [UInt8]? {
        ciphertextByteCount += ciphertext.count
        if !ciphertext.isEmpty { previousBlock = Array(ciphertext.suffix(FormatSize.block)) }
        return try openSSL { () throws(OpenSSLError) in
            var unneeded: [UInt8]?
            for attempt in attempts {
                precondition(attempt.engine != nil)
                unneeded = try attempt.engine?.hash(ciphertext, besideCaller: besideCaller) ?? nil
            }
            return unneeded
        }
    }

    /// Replaces the contents of `plaintext` with that of `ciphertext`, **unverified**, which `hash`
    /// has been given as well. There must be one candidate.
    package mutating func decrypt(
        _ ciphertext: [UInt8], unverifiedReplacing plaintext: inout [UInt8]
    ) throws(CryptorError) {
        precondition(attempts.count == 1 && attempts[0].engine != nil)
        try openSSL { () throws(OpenSSLError) in
            try attempts[0].engine?.decryptUnverified(ciphertext, replacing: &plaintext)
        }
    }

    // MARK: The end

    /// Finds the candidate under which the message is authentic. Called once.
    /// - Parameter tail: the last block and the tag, or other bytes that came after whole blocks.
    /// - Throws: `invalidMessageLength`, `authenticationFailed`, `corruptPadding`,
    ///   `cryptoLibraryFailure`.
    package mutating func finish(_ tail: RawSpan) throws(CryptorError) -> VerifiedMessage {
        let header = reading.header
        try header.checkMessageByteCount(header.byteCount + ciphertextByteCount + tail.byteCount)
        precondition(tail.byteCount == header.version.heldBackByteCount)
        for attempt in attempts {
            guard let lastPlaintext = try lastPlaintext(tail, of: attempt) else { continue }
            reading.keep(attempt.keys, of: attempt.request)
            return VerifiedMessage(
                keys: attempt.keys, credentialIndex: attempt.request.credentialIndex,
                ciphertextByteCount: ciphertextByteCount, lastPlaintext: lastPlaintext)
        }
        throw .authenticationFailed
    }

    /// The plaintext of the last block; nil if the message is not authentic under this candidate.
    private func lastPlaintext(
        _ tail: RawSpan, of attempt: Attempt
    ) throws(CryptorError) -> SecretBytes? {
        let last = tail.extracting(first: FormatSize.block)
        var verdict = MessageEnd.Verdict.tagMismatch
        let plaintext = try openSSL { () throws(OpenSSLError) in
            guard var engine = attempt.engine.take() else {
                preconditionFailure("a message ends once")
            }
            return try SecretBytes(byteCapacity: last.byteCount) {
                (output) throws(OpenSSLError) in
                verdict = try engine.finishOpening(
                    last, after: previousBlock.rawSpan(previousBlock.indices),
                    tag: tail.extracting(droppingFirst: FormatSize.block), into: &output)
            }
        }
        return try verdict.isAuthentic ? plaintext : nil
    }

    /// Calls `finish(_:)`, then appends the plaintext of the last block.
    @_lifetime(output: copy output)
    mutating func finish(_ tail: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let message = try finish(tail)
        try output.requireRoom(for: message.lastPlaintext.count)
        message.lastPlaintext.withRawSpan { last in last.append(to: &output) }
    }

    /// The message under the keys of one candidate.
    // A class, because arrays cannot hold what cannot be copied. Unchecked: only the reader that
    // made it uses it.
    private final class Attempt: @unchecked Sendable {
        let request: KeyRequest
        let keys: MessageKeys
        /// Nil once the message has ended.
        var engine: SplitEngine?

        init(_ request: KeyRequest, _ header: MessageHeader) throws(OpenSSLError) {
            guard let keys = request.answer else { preconditionFailure("a driver derives keys") }
            self.request = request
            self.keys = keys
            engine = try SplitEngine(.decrypt, for: header, keys: keys)
        }
    }
}
