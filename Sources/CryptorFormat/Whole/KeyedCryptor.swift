import CryptorPrimitives
import CryptorSystem

/// Encrypts and decrypts many messages under one credential. Keys are derived once, and OpenSSL's
/// contexts are set up once.
///
/// **Under a password, all messages of one cryptor share their salts**, which are drawn when it is
/// created. They are ordinary messages to every reader, and each has its own IV. An observer can
/// tell that the same cryptor wrote them, and nothing else.
///
/// It decrypts any message of its credential. For versions 3 and 2 it caches the keys of the 256
/// most recently used pairs of salts, and its own, so that many messages that share their salts
/// cost one derivation. Only keys of authentic messages are cached.
///
/// Any number of threads may use one cryptor at the same time; none waits for another's work.
/// Results and errors are those of ``Cryptor``.
///
/// **Memory:** contexts for each pair of salts, and for each thread that uses these, up to 64. With
/// 256 pairs of salts these take 2 MiB for one thread, 4 for four and 40 for 64 (growth of the
/// resident memory; AMD EPYC, family 25, model 17, OpenSSL 3.0.19).
public final class KeyedCryptor: Sendable {
    /// Longer plaintexts and messages do not use the contexts, and may be spread over two threads.
    static let maximumByteCount = 256 * 1024
    /// For how many messages keys are derived together.
    static let groupCount = 16

    private let uncached: Credential
    /// The keys that encrypt messages; nil if none can.
    private let own: KeptKeys?
    /// The start of a new message: all of its header but the IV.
    private let start: [UInt8]
    /// The keys among the candidates, in the order in which they are tried. Their engines serve all
    /// versions, which have one HMAC.
    private let pairs: [KeptKeys]
    private let cache: KeyCache

    /// Derives the keys that encrypt messages, which takes milliseconds for a password, and sets up
    /// the first contexts.
    /// - Throws: `cryptoLibraryFailure`.
    public init(_ credential: Credential) throws(CryptorError) {
        uncached = credential.cached(by: nil)
        pairs = uncached.candidates.compactMap { candidate in
            guard case .keys(let keys) = candidate.secret else { return nil }
            return KeptKeys(keys, at: nil, of: candidate)
        }
        var salts: MessageHeader.Salts?
        var onlyReads = false
        do throws(CryptorError) { salts = try uncached.primary.freshSalts() } catch {
            // It has too few iterations, or is a shortened reading.
            guard error.code == .invalidCredential else { throw error }
            onlyReads = true
        }
        let header = MessageHeader(salts: salts, iv: [UInt8](repeating: 0, count: FormatSize.iv))
        start = header.bytes.dropLast(FormatSize.iv)
        if onlyReads {
            own = nil
        } else if let place = KeyCache.Place(header) {
            let keys = try uncached.keySource(forWriting: header).keys()
            own = KeptKeys(keys, at: place, of: uncached.primary)
        } else {
            own = pairs[0]
        }
        cache = KeyCache(own: own)
        try openSSL { () throws(OpenSSLError) in
            try own?.engines.prepare()
            for kept in pairs { try kept.engines.prepare() }
        }
    }

    /// Sets up the first contexts under these keys.
    /// - Throws: `cryptoLibraryFailure`.
    public convenience init(_ keys: MessageKeys) throws(CryptorError) { try self.init(.keys(keys)) }

    /// The credential, for use with files, streams and a `CryptorPool`: keys that this cryptor has
    /// are not derived again, keys of authentic messages are cached here, and new messages share
    /// the salts of this cryptor. In a keyring it is a credential like any other.
    public var credential: Credential { uncached.cached(by: cache) }

    /// The length of the message for a plaintext of this many bytes. A negative number counts as 0,
    /// and a length of more than `Int.max` is returned as `Int.max`.
    public func messageByteCount(for plaintextByteCount: Int) -> Int {
        FormatVersion.written.messageByteCount(
            usingPassword: uncached.writesUnderPassword, plaintextByteCount: plaintextByteCount)
    }

    // MARK: Encryption

    /// Encrypts `plaintext` into a message of version 3 with a fresh IV.
    /// - Returns: the message: 51 to 66 bytes longer than the plaintext under keys, 67 to 82 under
    ///   a password.
    /// - Throws: `cryptoLibraryFailure`; `invalidCredential` for a credential that can only
    ///   decrypt: a password with fewer than 10,000 iterations, or a shortened reading.
    public func encrypt(_ plaintext: some Collection<UInt8>) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in
            try Array(byteCapacity: messageByteCount(for: plaintext.byteCount)) {
                (output) throws(CryptorError) in
                try encrypt(plaintext, into: &output)
            }
        }
    }

    /// Encrypts `plaintext` and appends the message to `output`.
    /// - Throws: `outputTooSmall`, with nothing written, unless there is room for
    ///   `messageByteCount(for: plaintext.byteCount)` bytes; the errors of
    ///   ``encrypt(_:)-(Collection<UInt8>)``, after which `output` may hold an incomplete message
    ///   if the plaintext has more than 256 KiB.
    @_lifetime(output: copy output)
    public func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError)
    {
        guard let own else {
            _ = try uncached.primary.freshSalts()
            preconditionFailure("a credential that writes has keys")
        }
        try output.requireRoom(for: messageByteCount(for: plaintext.byteCount))
        guard plaintext.byteCount <= Self.maximumByteCount else {
            var encryptor = try Encryptor(try credential.newMessage().header, keys: own.keys)
            try encryptor.update(plaintext, into: &output)
            return try encryptor.finish(into: &output)
        }
        let offset = output.byteCount
        do throws(OpenSSLError) {
            try own.engines.seal(plaintext, after: start, into: &output)
        } catch {
            output.removeLast(output.byteCount - offset)
            throw .openSSL(error)
        }
    }

    /// Encrypts each of `plaintexts` as ``encrypt(_:)-(Collection<UInt8>)`` would.
    /// - Returns: for each plaintext, in their order, its message or its error.
    public func encryptAll(
        _ plaintexts: some Collection<some Collection<UInt8>>
    ) -> [Result<[UInt8], CryptorError>] {
        plaintexts.map { plaintext in Result { () throws(CryptorError) in try encrypt(plaintext) } }
    }

    // MARK: Decryption

    /// Decrypts a message of an accepted version (by default 3 or 2).
    /// - Returns: the authentic plaintext.
    /// - Throws: the errors of ``Cryptor/decrypt(_:with:accepting:)->[UInt8]``.
    public func decrypt(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        let mayChange = mayChange(message)
        return try withRawSpan(of: message) { (message) throws(CryptorError) in
            try opened(message, mayChange: mayChange, accepting: accepting).plaintext
        }
    }

    /// Decrypts a message, and says which credential opened it: see
    /// ``Cryptor/open(_:with:accepting:)``, which throws the same errors.
    public func open(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> OpenedMessage {
        let mayChange = mayChange(message)
        return try withRawSpan(of: message) { (message) throws(CryptorError) in
            try opened(message, mayChange: mayChange, accepting: accepting)
        }
    }

    /// Re-encrypts a message with the primary credential, unless that already opens it: see
    /// ``Cryptor/rotate(_:with:accepting:)->[UInt8]?``, which throws the same errors.
    public func rotate(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8]? {
        let opened = try open(message, accepting: accepting)
        return opened.credentialIndex == 0 ? nil : try encrypt(opened.plaintext)
    }

    /// Decrypts a message of version 3 or 2 and appends the authentic plaintext to `output`.
    /// - Throws: the errors of ``Cryptor/decrypt(_:with:accepting:)->[UInt8]``; `outputTooSmall`,
    ///   with nothing written, unless there is room for as many bytes as the ciphertext has: the
    ///   message's length without header and HMAC, which are 50 bytes under keys, and 66 under a
    ///   password.
    @_lifetime(output: copy output)
    public func decrypt(_ message: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        guard message.byteCount > stackByteCount else {
            return try withStackCopy(of: message) { (message) throws(CryptorError) in
                try decrypt(copied: message, into: &output)
            }
        }
        guard message.byteCount > Self.maximumByteCount else {
            return try withStableSpan(of: message, mayChange: true) {
                (message) throws(CryptorError) in
                try decrypt(copied: message, into: &output)
            }
        }
        try decryptOutside(message, mayChange: true, into: &output)
    }

    /// - Parameter message: in memory of the library's.
    @inline(__always)
    @_lifetime(output: copy output)
    private func decrypt(
        copied message: RawSpan, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        guard let header = shortHeader(of: message, accepting: .default) else {
            return try decryptOutside(message, mayChange: false, into: &output)
        }
        try output.requireRoom(for: header.ciphertextByteCount(ofMessage: message.byteCount))
        _ = try open(message, mayChange: false, accepting: .default, into: &output)
    }

    /// Decrypts nothing into the caller's memory, because a long message is decrypted while it is
    /// verified.
    @_lifetime(output: copy output)
    private func decryptOutside(
        _ message: RawSpan, mayChange: Bool, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let header = try opener(.default).header(
            of: message, messageByteCount: message.byteCount, end: message)
        try output.requireRoom(for: header.ciphertextByteCount(ofMessage: message.byteCount))
        let plaintext = try opened(message, mayChange: mayChange, accepting: .default).plaintext
        withRawSpan(of: plaintext) { plaintext in plaintext.append(to: &output) }
    }

    /// Decrypts a message if no key must be derived for that, not even to refuse it; otherwise
    /// returns nil. If there are several passwords, all of them would be tried on a forged message.
    package func openAtOnce(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> OpenedMessage? {
        let mayChange = mayChange(message)
        return try withRawSpan(of: message) { (message) throws(CryptorError) -> OpenedMessage? in
            let passwordCount = uncached.candidates.count { $0.isPassword }
            if passwordCount > 0 {
                guard let header = shortHeader(of: message, accepting: .all) else { return nil }
                if let place = KeyCache.Place(header),
                    passwordCount > 1 || cache.find(place).kept == nil
                {
                    return nil
                }
            }
            return try opened(message, mayChange: mayChange, accepting: accepting)
        }
    }

    private func opened(
        _ message: RawSpan, mayChange: Bool, accepting: Acceptance,
        derived: DerivedKeys = { _, _ in nil }
    ) throws(CryptorError) -> OpenedMessage {
        var result: OpeningResult?
        let isShort = message.byteCount <= Self.maximumByteCount
        let plaintext = try Array(byteCapacity: message.byteCount) {
            (output) throws(CryptorError) in
            try withStableSpan(of: message, mayChange: mayChange && isShort) {
                (message) throws(CryptorError) in
                result = try open(
                    message, mayChange: mayChange && !isShort, accepting: accepting,
                    into: &output, derived: derived)
            }
        }
        guard let result else { preconditionFailure("an opened message has a result") }
        return OpenedMessage((plaintext, result))
    }

    /// Appends the plaintext of a message; nothing if it throws.
    /// - Parameter mayChange: whether others may write to a long message. None may to a short one.
    @inline(__always)
    @_lifetime(output: copy output)
    private func open(
        _ message: RawSpan, mayChange: Bool, accepting: Acceptance,
        into output: inout OutputRawSpan, derived: DerivedKeys = { _, _ in nil }
    ) throws(CryptorError) -> OpeningResult {
        guard let header = shortHeader(of: message, accepting: accepting) else {
            return try opener(accepting).open(
                message, mayChange: mayChange, into: &output, derived: derived)
        }
        guard let place = KeyCache.Place(header) else {
            for kept in pairs {
                if try kept.opens(message, header, into: &output) {
                    return (kept.candidate.index, header.version)
                }
            }
            if pairs.isEmpty {
                return try opener(accepting).open(message, mayChange: false, into: &output)
            }
            throw .authenticationFailed
        }
        let (found, isNewest) = cache.find(place)
        if let found, try found.opens(message, header, into: &output) {
            if !isNewest { cache.keep(found) }
            return (found.candidate.index, header.version)
        }
        return try opener(accepting).open(
            message, mayChange: false, except: found?.candidate.index, into: &output,
            derived: derived)
    }

    /// Decrypts each of `messages` as ``decrypt(_:accepting:)->[UInt8]`` would, with the same
    /// errors. A message that is refused does not affect the others. Keys for different salts are
    /// derived together, which takes less time where the processor has AVX-512; those of a
    /// keyring's later candidates are not.
    /// - Returns: for each message, in their order, its authentic plaintext or its error.
    public func decryptAll<Message: Collection<UInt8>>(
        _ messages: some Collection<Message>, accepting: Acceptance = .default
    ) -> [Result<[UInt8], CryptorError>] {
        var results: [Result<[UInt8], CryptorError>] = []
        results.reserveCapacity(messages.count)
        var rest = messages[...]
        while !rest.isEmpty {
            let group = rest.prefix(Self.groupCount)
            let derived = keys(for: group, accepting: accepting)
            for message in group {
                let mayChange = mayChange(message)
                let plaintext = Result { () throws(CryptorError) in
                    try withRawSpan(of: message) { (message) throws(CryptorError) in
                        try opened(message, mayChange: mayChange, accepting: accepting) {
                            candidate, header in
                            let found = KeyCache.Place(header).flatMap { derived[$0] }
                            return found?.index == candidate.index ? found?.keys : nil
                        }.plaintext
                    }
                }
                results.append(plaintext)
            }
            rest = rest.dropFirst(group.count)
        }
        return results
    }

    /// For those short messages whose keys are not cached, the keys of the candidate that is tried
    /// first, with its index.
    private func keys(
        for messages: some Collection<some Collection<UInt8>>, accepting: Acceptance
    ) -> [KeyCache.Place: (index: Int, keys: MessageKeys)] {
        var found: [KeyCache.Place: (index: Int, source: KeySource)] = [:]
        for message in messages {
            let header = withRawSpan(of: message) { (message) in
                shortHeader(of: message, accepting: accepting)
            }
            guard let header, let place = KeyCache.Place(header), cache.find(place).kept == nil,
                let first = uncached.candidates.first(where: { $0.mayOpen(header) })
            else { continue }
            found[place] = (first.index, first.keySource(place.salts))
        }
        // A failure of OpenSSL will show again when a message needs its keys.
        let keys = (try? KeySource.keys(from: found.values.map(\.source))) ?? []
        return Dictionary(
            uniqueKeysWithValues: zip(found, keys).map { ($0.key, ($0.value.index, $1)) })
    }

    /// The header of a message that the contexts can be used for; nil for any other.
    @inline(__always)
    private func shortHeader(of message: RawSpan, accepting: Acceptance) -> MessageHeader? {
        MessageHeader(ofShort: message, upTo: Self.maximumByteCount, accepting: accepting)
    }

    private func opener(_ accepting: Acceptance) -> MessageOpener {
        MessageOpener(credential: credential, accepting: accepting)
    }
}

extension KeptKeys {
    /// Appends the plaintext of a short message; nothing if it throws. `output` must have room for
    /// the ciphertext.
    /// - Returns: whether the message is authentic under these keys; if not, nothing is appended.
    @inline(__always)
    @_lifetime(output: copy output)
    fileprivate func opens(
        _ message: RawSpan, _ header: MessageHeader, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Bool {
        let verdict: MessageEnd.Verdict
        do throws(OpenSSLError) {
            verdict = try engines.open(message, headerByteCount: header.byteCount, into: &output)
        } catch { throw .openSSL(error) }
        return try verdict.isAuthentic
    }
}

// Common first attempts, and their replacements.
extension KeyedCryptor {
    /// Encrypt the bytes of the text.
    @available(
        *, unavailable, message: "Encrypt the bytes of the text: cryptor.encrypt(text.utf8)"
    )
    public func encrypt(_ text: some StringProtocol) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// Decode base64 text first.
    @available(
        *, unavailable,
        message: """
            Decode base64 text first: \
            cryptor.decrypt(Cryptor.message(fromBase64: text.utf8))
            """
    )
    public func decrypt(
        _ text: some StringProtocol, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// The elements must be bytes.
    @available(*, unavailable, message: "The elements must be bytes (UInt8).")
    public func encrypt(_ elements: some Collection) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// The elements must be bytes.
    @available(*, unavailable, message: "The elements must be bytes (UInt8).")
    public func decrypt(
        _ elements: some Collection, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }
}
