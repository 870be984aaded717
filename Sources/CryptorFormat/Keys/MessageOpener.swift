import CryptorPrimitives

/// How a message is read: with which credential, and which versions.
package struct MessageOpener: Sendable {
    let credential: Credential
    /// The versions that the caller wants to read.
    let accepting: Acceptance

    package init(credential: Credential, accepting: Acceptance) {
        self.credential = credential
        self.accepting = accepting
    }

    /// The header of a complete message, whose length is checked as well.
    package func header<Bytes: Collection<UInt8>>(
        ofWhole message: Bytes
    ) throws(CryptorError) -> MessageHeader {
        // The slices below would take several percent of a short message's time, because their
        // types are built at run time.
        if Bytes.self == [UInt8].self {
            return try withRawSpan(of: message) { (message) throws(CryptorError) in
                try header(of: message, messageByteCount: message.byteCount, end: message)
            }
        }
        let end = message.suffix(MessageHeader.decidingEndByteCount)
        let start = message.prefix(MessageHeader.base64ProbeByteCount)
        return try withRawSpan(of: start) { (start) throws(CryptorError) in
            try withRawSpan(of: end) { (end) throws(CryptorError) in
                try header(of: start, messageByteCount: message.count, end: end)
            }
        }
    }

    /// The header, checked before anything is derived from it.
    /// - Parameters:
    ///   - start: the start of the message, which includes the header if there is one.
    ///   - messageByteCount: the length of the complete message, if it is known. It is then checked
    ///     as well.
    ///   - end: its last bytes, at least ``MessageHeader/decidingEndByteCount``, if the length is
    ///     known and it begins with a zero.
    package func header(
        of start: RawSpan, messageByteCount: Int?, end: RawSpan
    ) throws(CryptorError) -> MessageHeader {
        do throws(CryptorError) {
            return try header(
                of: start, messageByteCount: messageByteCount, end: end, accepting: accepting)
        } catch {
            guard error.code == .versionNotAccepted, error.versionToAccept == nil,
                messageByteCount != nil
            else { throw error }
            // 'Not accepted' is reported only if accepting the version could help, as far as the
            // message shows. Otherwise the other fault is reported.
            let header = try header(
                of: start, messageByteCount: messageByteCount, end: end, accepting: .all)
            var refusal = error
            refusal.versionToAccept = header.version.rawValue
            throw refusal
        }
    }

    private func header(
        of start: RawSpan, messageByteCount: Int?, end: RawSpan, accepting: Acceptance
    ) throws(CryptorError) -> MessageHeader {
        let header = try MessageHeader.read(
            from: start, messageByteCount: messageByteCount, end: end, accepting: accepting)
        _ = try candidates(for: header)
        if let messageByteCount { try header.checkMessageByteCount(messageByteCount) }
        return header
    }

    /// The header of a message that comes in chunks, checked as far as that can be done; nil if it
    /// is not complete.
    /// - Parameter start: all of the message that has come, or enough of it for a header.
    package func header(startOf start: RawSpan) throws(CryptorError) -> MessageHeader? {
        let found = try MessageHeader.read(startOf: start, mustDecide: false, accepting: accepting)
        if let found { _ = try candidates(for: found) }
        return found
    }

    /// Whether keys may have to be derived, or several candidates tried, to read a message.
    package var needsDerivationOrSearch: Bool {
        credential.candidates.count > 1 || credential.primary.isPassword
    }

    // MARK: Candidates

    /// The candidates for the message with this header, in the order in which they are tried: at
    /// least one.
    /// - Throws: `credentialMismatch` if all are of the other kind, or shortened readings that this
    ///   version never had.
    func candidates(for header: MessageHeader) throws(CryptorError) -> [Candidate] {
        // Most credentials are not keyrings, and their list need not be copied.
        let all = credential.candidates
        let candidates =
            all.allSatisfy { $0.mayOpen(header) } ? all : all.filter { $0.mayOpen(header) }
        if !candidates.isEmpty { return candidates }
        let sentence =
            if !header.usesPassword {
                "The message was encrypted with keys, but a password was given. Use the keys."
            } else if credential.primary.isShortened {
                """
                A shortened reading of a password opens only password messages of versions 2 to 0. \
                Use the whole password.
                """
            } else {
                "The message was encrypted with a password, but keys were given. Use the password."
            }
        throw CryptorError(.credentialMismatch, sentence)
    }

    /// Whether only the HMAC at the end of such a message shows which candidate opens it.
    func hasSeveralCandidates(for header: MessageHeader) -> Bool {
        credential.candidates.count { $0.mayOpen(header) } > 1
    }

    /// The source of the keys of the message; nil if there are several candidates.
    package func keySource(for header: MessageHeader) throws(CryptorError) -> KeySource? {
        let candidates = try candidates(for: header)
        return candidates.count == 1
            ? credential.keySources(of: candidates, for: header)[0] : nil
    }
}
