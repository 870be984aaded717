import CryptorPrimitives

// The way from the bytes of a message to its reading. There is no other, and every message is
// refused here: a `KeyedCryptor`, which needs no reading of a short message under keys that it has,
// leaves all others to it.
//
// Of several faults, the first one counts: it begins with no complete header, the credential is of
// the other kind, the length is wrong, the version is not accepted. The length comes before the
// version, because accepting the version would not help. As long as the length of a message is not
// known, it may be right.
extension Credential {
    /// Whether keys may have to be derived, or several candidates tried, to read a message.
    package var needsDerivationOrSearch: Bool { candidates.count > 1 || primary.isPassword }

    /// The reading of a complete message.
    package func reading<Bytes: Collection<UInt8>>(
        ofWhole message: Bytes, accepting: Acceptance
    ) throws(CryptorError) -> Reading {
        // The slices below would take several percent of a short message's time, because their
        // types are built at run time.
        if Bytes.self == [UInt8].self {
            return try withRawSpan(of: message) { (message) throws(CryptorError) in
                try reading(ofWhole: message, accepting: accepting)
            }
        }
        let end = message.suffix(MessageHeader.decidingEndByteCount)
        let start = message.prefix(MessageHeader.base64ProbeByteCount)
        return try withRawSpan(of: start) { (start) throws(CryptorError) in
            try withRawSpan(of: end) { (end) throws(CryptorError) in
                try reading(
                    of: start, messageByteCount: message.count, end: end, accepting: accepting)
            }
        }
    }

    /// The reading of a complete message.
    func reading(
        ofWhole message: RawSpan, accepting: Acceptance
    ) throws(CryptorError) -> Reading {
        try reading(
            of: message, messageByteCount: message.byteCount, end: message, accepting: accepting)
    }

    /// The reading of a message.
    /// - Parameters:
    ///   - start: the start of the message, which includes the header if there is one.
    ///   - messageByteCount: the length of the complete message, if it is known.
    ///   - end: its last bytes, at least ``MessageHeader/decidingEndByteCount``, if the length is
    ///     known and it begins with a zero.
    package func reading(
        of start: RawSpan, messageByteCount: Int?, end: RawSpan, accepting: Acceptance
    ) throws(CryptorError) -> Reading {
        let header = try MessageHeader.read(
            from: start, messageByteCount: messageByteCount, end: end)
        return try reading(header, messageByteCount: messageByteCount, accepting: accepting)
    }

    /// The reading of a message that comes in chunks; nil while its header is not complete.
    /// - Parameter start: all of the message that has come, or enough of it for a header.
    package func reading(
        startOf start: RawSpan, accepting: Acceptance
    ) throws(CryptorError) -> Reading? {
        if let header = MessageHeader(startOf: start) {
            return try reading(header, messageByteCount: nil, accepting: accepting)
        }
        if let refusal = MessageHeader.refusal(of: start, mustDecide: false) { throw refusal }
        return nil
    }

    private func reading(
        _ header: MessageHeader, messageByteCount: Int?, accepting: Acceptance
    ) throws(CryptorError) -> Reading {
        let requests = requests(for: header)
        guard !requests.isEmpty else { throw mismatch(with: header) }
        if let messageByteCount { try header.checkMessageByteCount(messageByteCount) }
        try header.checkVersion(isIn: accepting, helps: messageByteCount != nil)
        return Reading(header, requests: requests, cache: cache)
    }

    /// What the candidates try on a message; none if they cannot open such a message.
    private func requests(for header: MessageHeader) -> [KeyRequest] {
        let known = KeyCache.Place(header).flatMap { cache?.answer(at: $0) }
        var requests: [KeyRequest] = []
        for candidate in candidates where candidate.mayOpen(header) {
            var request = KeyRequest(candidate, header.salts)
            if let known, known.credentialIndex == candidate.index {
                request = request.answered(by: known.keys)
            }
            requests.append(request)
        }
        return requests
    }

    private func mismatch(with header: MessageHeader) -> CryptorError {
        let sentence =
            if !header.usesPassword {
                "The message was encrypted with keys, but a password was given. Use the keys."
            } else if primary.isShortened {
                """
                A shortened reading of a password opens only password messages of versions 2 to 0. \
                Use the whole password.
                """
            } else {
                "The message was encrypted with a password, but keys were given. Use the password."
            }
        return CryptorError(.credentialMismatch, sentence)
    }
}
