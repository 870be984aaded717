import CryptorPrimitives

/// How a message is read: with which credential, and which versions.
package struct ReadingTerms: Sendable {
    let credential: Credential
    private(set) var expectation: HeaderExpectation
    /// Whether messages of version 0 are read as of the kind that is expected, and of no other.
    private var isSettled = false

    package init(credential: Credential, accepting: Acceptance) {
        self.credential = credential
        expectation = HeaderExpectation(
            accepting: accepting, version0UsesPassword: credential.primary.isPassword)
    }

    /// The header of a complete message, whose length is checked as well.
    package func header(ofWhole message: some Collection<UInt8>) throws(CryptorError) -> Header {
        let end = message.suffix(FormatSize.tag)
        let start = message.prefix(HeaderReader.base64ProbeByteCount)
        return try withRawSpan(of: start) { (start) throws(CryptorError) in
            try withRawSpan(of: end) { (end) throws(CryptorError) in
                try header(of: start, messageByteCount: message.count, end: end)
            }
        }
    }

    /// The header, checked before anything is derived from it.
    /// - Parameters:
    ///   - start: the start of the message, which includes the header if there is one.
    ///   - messageByteCount: the length of the complete message, if it is known. It is then checked as well.
    ///   - end: its last bytes, at least a tag, if it is known and may be of version 0.
    package func header(
        of start: RawSpan, messageByteCount: Int?, end: RawSpan
    ) throws(CryptorError) -> Header {
        let header: Header
        do throws(CryptorError) {
            header = try HeaderReader.header(of: start, expectation)
        } catch {
            guard error.code == .versionNotAccepted, let messageByteCount else { throw error }
            throw refusal(error, of: start, messageByteCount: messageByteCount, end: end)
        }
        _ = try candidates(for: header)
        if let messageByteCount { try header.checkMessageByteCount(messageByteCount) }
        return header
    }

    /// Whether keys may have to be derived, or several candidates tried, to read a message.
    package var needDerivationOrSearch: Bool {
        credential.candidates.count > 1 || credential.primary.isPassword
    }

    /// Why a message is refused whose version is not accepted: for that reason only if accepting it
    /// could help, as far as the message shows.
    private func refusal(
        _ notAccepted: CryptorError, of start: RawSpan, messageByteCount: Int, end: RawSpan
    ) -> CryptorError {
        var terms = self
        terms.expectation = HeaderExpectation(
            accepting: .all, version0UsesPassword: expectation.version0UsesPassword)
        do throws(CryptorError) {
            let header = try terms.header(of: start, messageByteCount: messageByteCount, end: end)
            guard header.version.mayEnd(with: end) else {
                throw CryptorError(
                    .unsupportedVersion,
                    "The input starts as version \(header.version.rawValue), and does not end as "
                        + "such a message. It is something else, or its end was lost or damaged.")
            }
            var error = notAccepted
            error.versionToAccept = header.version.rawValue
            return error
        } catch { return error }
    }

    // MARK: Candidates

    /// The candidates for the message with this header, in the order in which they are tried: at least one.
    /// - Throws: `credentialMismatch` if all are of the other kind, or shortened readings that this version never had.
    func candidates(for header: Header) throws(CryptorError) -> [Candidate] {
        // Most credentials are no keyring, and their list need not be copied.
        let all = credential.candidates
        let candidates =
            all.allSatisfy { $0.mayOpen(header) } ? all : all.filter { $0.mayOpen(header) }
        if !candidates.isEmpty { return candidates }
        throw CryptorError(
            .credentialMismatch,
            credential.primary.isShortened
                ? "A shortened reading of a password opens only password messages of versions 2 to 0. Give the password."
                : header.usesPassword
                    ? "The message was encrypted with a password, and keys were given to open it. Give the password."
                    : "The message was encrypted with keys, and a password was given to open it. Give the two keys."
        )
    }

    /// Whether only the HMAC at the end of such a message tells which candidate opens it.
    func hasSeveralCandidates(for header: Header) -> Bool {
        areAmbiguous(startingWith: header.bytes.first)
            || credential.candidates.count { $0.mayOpen(header) } > 1
    }

    /// What the keys of the message come from; nil if there are several candidates.
    package func keySource(for header: Header) throws(CryptorError) -> KeySource? {
        let candidates = try candidates(for: header)
        return candidates.count == 1 ? credential.keySource(of: candidates[0], for: header) : nil
    }

    /// Whether a message that starts with this byte may be of either kind: version 0 does not say, and there are both
    /// kinds in the keyring.
    package func areAmbiguous(startingWith byte: UInt8?) -> Bool {
        byte == FormatVersion.v0UnauthenticatedHeader.rawValue && !isSettled
            && expectation.accepting.contains(.v0UnauthenticatedHeader)
            && credential.candidates.contains { $0.isPassword != credential.primary.isPassword }
    }

    /// Reads a message of either kind: as one of the primary's kind, and if that fails, as one of the other.
    /// - Parameter byte: the first byte of the message.
    @inline(__always)
    package func settled<Value: ~Copyable>(
        startingWith byte: UInt8?, _ read: (ReadingTerms) throws(CryptorError) -> Value
    ) throws(CryptorError) -> Value {
        guard areAmbiguous(startingWith: byte) else { return try read(self) }
        var terms = self
        terms.isSettled = true
        let failure: CryptorError
        do throws(CryptorError) { return try read(terms) } catch { failure = error }
        guard [.authenticationFailed, .invalidMessageLength].contains(failure.code) else {
            throw failure
        }
        terms.expectation.version0UsesPassword.toggle()
        do throws(CryptorError) { return try read(terms) } catch {
            // One that fits no message of the other kind was of the first.
            throw error.code == .invalidMessageLength ? failure : error
        }
    }
}
