import CryptorPrimitives
import CryptorSystem

/// Encrypts and decrypts many messages under one credential. Keys are derived once, and OpenSSL's
/// contexts are set up once.
///
/// ```swift
/// let cryptor = try KeyedCryptor(keys)
/// let messages = try records.map { record in try cryptor.encrypt(record) }
/// let record = try cryptor.decrypt(messages[0])
/// ```
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

    /// The credential, whose keys keep engines.
    private let keyring: Credential
    /// The keys that encrypt messages, those of the primary; nil if none can.
    private let own: KeyPair?
    /// The place of messages under these keys; nil for a pair of keys.
    private let ownPlace: KeyCache.Place?
    /// The start of a new message: all of its header but the IV.
    private let start: [UInt8]
    private let cache: KeyCache

    /// Derives the keys that encrypt messages, which takes milliseconds for a password, and sets up
    /// the first contexts.
    /// - Throws: `cryptoLibraryFailure`.
    public init(_ credential: Credential) throws(CryptorError) {
        let candidates = credential.candidates.map(\.forManyMessages)
        var salts: MessageHeader.Salts?
        var onlyReads = false
        do throws(CryptorError) { salts = try candidates[0].freshSalts() } catch {
            // It has too few iterations, or is a shortened reading.
            guard error.code == .invalidCredential else { throw error }
            onlyReads = true
        }
        let header = MessageHeader(salts: salts, iv: [UInt8](repeating: 0, count: FormatSize.iv))
        start = header.bytes.dropLast(FormatSize.iv)
        let own = onlyReads ? nil : try KeyRequest(candidates[0], salts).keys().forManyMessages
        let place = KeyCache.Place(header)
        self.own = own?.pair
        ownPlace = place
        cache = KeyCache(own: own.flatMap { own in place.map { ($0, own) } })
        keyring = Credential(candidates, cache: cache)
        try openSSL { () throws(OpenSSLError) in
            try own?.pair.prepare()
            for case .keys(let keys) in candidates.map(\.secret) { try keys.pair.prepare() }
        }
    }

    /// Sets up the first contexts under these keys.
    /// - Throws: `cryptoLibraryFailure`.
    public convenience init(_ keys: MessageKeys) throws(CryptorError) { try self.init(.keys(keys)) }

    /// The credential, for use with files, streams and a `CryptorPool`: keys that this cryptor has
    /// are not derived again, keys of authentic messages are cached here, and new messages share
    /// the salts of this cryptor. In a keyring it is a credential like any other.
    public var credential: Credential { keyring }

    /// The length of the message for a plaintext of this many bytes. A negative number counts as 0,
    /// and a length of more than `Int.max` is returned as `Int.max`.
    public func messageByteCount(for plaintextByteCount: Int) -> Int {
        FormatVersion.written.messageByteCount(
            usingPassword: keyring.writesUnderPassword, plaintextByteCount: plaintextByteCount)
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
        if own == nil { _ = try keyring.primary.freshSalts() }
        try output.requireRoom(for: messageByteCount(for: plaintext.byteCount))
        guard plaintext.byteCount <= Self.maximumByteCount else {
            var encryptor = try Encryptor(keyring)
            try encryptor.update(plaintext, into: &output)
            return try encryptor.finish(into: &output)
        }
        let offset = output.byteCount
        do throws(OpenSSLError) {
            try own?.seal(plaintext, after: start, into: &output)
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
        try open(message, accepting: accepting).plaintext
    }

    /// Decrypts a message, and says which credential opened it: see
    /// ``Cryptor/open(_:with:accepting:)``, which throws the same errors.
    public func open(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> OpenedMessage {
        guard let opened = try opened(message, accepting: accepting, deriving: true) else {
            preconditionFailure("the keys were derived")
        }
        return opened
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
        if try openAnswered(message, header, into: &output) == nil {
            try decryptOutside(message, mayChange: false, into: &output)
        }
    }

    /// Decrypts nothing into the caller's memory, because a long message is decrypted while it is
    /// verified.
    @_lifetime(output: copy output)
    private func decryptOutside(
        _ message: RawSpan, mayChange: Bool, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let reading = try keyring.reading(ofWhole: message, accepting: .default)
        try output.requireRoom(
            for: reading.header.ciphertextByteCount(ofMessage: message.byteCount))
        let plaintext = try Array(byteCapacity: message.byteCount) {
            (plaintext) throws(CryptorError) in
            _ = try reading.open(message, mayChange: mayChange, into: &plaintext)
        }
        withRawSpan(of: plaintext) { plaintext in plaintext.append(to: &output) }
    }

    /// Opens a short message of an accepted version if no key must be derived for that, not even to
    /// refuse it; otherwise returns nil.
    package func openAtOnce(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> OpenedMessage? {
        try opened(message, accepting: accepting, deriving: false)
    }

    @inline(__always)
    private func opened(
        _ message: some Collection<UInt8>, accepting: Acceptance, deriving: Bool
    ) throws(CryptorError) -> OpenedMessage? {
        let mayChange = mayChange(message)
        return try withRawSpan(of: message) { (message) throws(CryptorError) -> OpenedMessage? in
            let isShort = message.byteCount <= Self.maximumByteCount
            return try withStableSpan(of: message, mayChange: mayChange && isShort) {
                (message) throws(CryptorError) -> OpenedMessage? in
                var opened: (index: Int, version: FormatVersion)?
                let plaintext = try Array(byteCapacity: message.byteCount) {
                    (output) throws(CryptorError) in
                    if let header = shortHeader(of: message, accepting: accepting),
                        let index = try openAnswered(message, header, into: &output)
                    {
                        opened = (index, header.version)
                    } else if deriving {
                        let reading = try keyring.reading(ofWhole: message, accepting: accepting)
                        let index = try reading.open(
                            message, mayChange: mayChange && !isShort, into: &output)
                        opened = (index, reading.header.version)
                    }
                }
                return opened.map { OpenedMessage((plaintext, $0.index, $0.version)) }
            }
        }
    }

    /// Appends the plaintext of a short message, if it opens under keys that are known.
    /// - Returns: the index of the credential; nil if keys that have to be derived may open it.
    @inline(__always)
    @_lifetime(output: copy output)
    private func openAnswered(
        _ message: RawSpan, _ header: MessageHeader, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Int? {
        let place = KeyCache.Place(header)
        // Under a pair of keys, neither has a place.
        let isOwn = own != nil && place == ownPlace
        // Not from the list: taking them out would write a counter that all threads share.
        if isOwn, try own?.opens(message, header, into: &output) == true { return 0 }
        if let place, !isOwn {
            guard let answer = cache.answer(at: place) else { return nil }
            if try answer.keys.pair.opens(message, header, into: &output) {
                if !answer.isNewest {
                    cache.keep(answer.keys, of: answer.credentialIndex, for: header)
                }
                return answer.credentialIndex
            }
        }
        if place == nil {
            for candidate in keyring.candidates where !isOwn || candidate.index > 0 {
                guard case .keys(let keys) = candidate.secret else { continue }
                if try keys.pair.opens(message, header, into: &output) { return candidate.index }
            }
        }
        // If only one candidate is of this kind, it has been tried.
        let count = keyring.candidates.count { $0.mayOpen(header) }
        if count == 1 || count > 1 && !header.usesPassword { throw .authenticationFailed }
        return nil
    }

    /// Decrypts each of `messages` as ``decrypt(_:accepting:)->[UInt8]`` would: see
    /// ``openAll(_:accepting:)``.
    /// - Returns: for each message, in their order, its authentic plaintext or its error.
    public func decryptAll<Message: Collection<UInt8>>(
        _ messages: some Collection<Message>, accepting: Acceptance = .default
    ) -> [Result<[UInt8], CryptorError>] {
        openAll(messages, accepting: accepting).map { opened in opened.map(\.plaintext) }
    }

    /// Opens each of `messages` as ``open(_:accepting:)`` would, with the same errors. A message
    /// that is refused does not affect the others. Keys for different salts are derived together,
    /// which takes less time where the processor has AVX-512: first those of a keyring's primary,
    /// then those of the next credential for the messages that are left, and so on.
    /// - Returns: for each message, in their order, its authentic plaintext with the index of its
    ///   credential, or its error.
    public func openAll<Message: Collection<UInt8>>(
        _ messages: some Collection<Message>, accepting: Acceptance = .default
    ) -> [Result<OpenedMessage, CryptorError>] {
        var results: [Result<OpenedMessage, CryptorError>?] = []
        results.reserveCapacity(messages.count)
        var waiting: [(index: Int, message: Message)] = []
        func openWaiting() {
            let opened = openDeriving(waiting.map(\.message), accepting: accepting)
            for ((index, _), result) in zip(waiting, opened) { results[index] = result }
            waiting.removeAll(keepingCapacity: true)
        }
        for (index, message) in messages.enumerated() {
            do throws(CryptorError) {
                let opened = try openAtOnce(message, accepting: accepting)
                results.append(opened.map { .success($0) })
                if opened == nil { waiting.append((index, message)) }
            } catch { results.append(.failure(error)) }
            if waiting.count == Self.groupCount { openWaiting() }
        }
        openWaiting()
        return results.map { result in
            guard let result else { preconditionFailure("each message has a result") }
            return result
        }
    }

    /// Messages with the same salts, and the candidates that have not been tried on them.
    private struct Group {
        var attempts: ArraySlice<KeyRequest>
        var members: [(index: Int, reading: Reading)]
    }

    /// Opens messages whose keys are derived: first those of one candidate for all of them
    /// together, then those of the next one for the messages that are left, and so on.
    private func openDeriving(
        _ messages: [some Collection<UInt8>], accepting: Acceptance
    ) -> [Result<OpenedMessage, CryptorError>] {
        var results: [Result<OpenedMessage, CryptorError>] = []
        var readings: [(index: Int, reading: Reading)] = []
        for (index, message) in messages.enumerated() {
            do throws(CryptorError) {
                let reading = try keyring.reading(ofWhole: message, accepting: accepting)
                readings.append((index, reading))
                // If no candidate opens it.
                results.append(.failure(.authenticationFailed))
            } catch { results.append(.failure(error)) }
        }
        let places = Dictionary(grouping: readings) { KeyCache.Place($0.reading.header) }
        var groups = places.values.map { members in
            Group(attempts: members[0].reading.attempts[...], members: members)
        }
        while !groups.isEmpty {
            // A failure of OpenSSL will show again when a message needs its keys.
            let keys = try? KeyRequest.keys(for: groups.compactMap(\.attempts.first))
            for number in groups.indices {
                var request = groups[number].attempts.removeFirst()
                if let keys { request = request.answered(by: keys[number]) }
                groups[number].members.removeAll { index, reading in
                    results[index] = Result { () throws(CryptorError) in
                        OpenedMessage(
                            try Cryptor.open(messages[index]) { _ in
                                reading.trying(request)
                            })
                    }
                    guard case .failure(let error) = results[index] else { return true }
                    return error.code != .authenticationFailed
                }
            }
            groups.removeAll { $0.members.isEmpty || $0.attempts.isEmpty }
        }
        return results
    }

    /// The header of a message that engines can open; nil for any other.
    @inline(__always)
    private func shortHeader(of message: RawSpan, accepting: Acceptance) -> MessageHeader? {
        guard message.byteCount <= Self.maximumByteCount,
            let header = MessageHeader(startOf: message), header.version.suitsEngines,
            accepting.accepts(header.version), header.allows(messageByteCount: message.byteCount)
        else { return nil }
        return header
    }
}

extension KeyPair {
    /// Opens a short message: appends its plaintext if it is authentic under these keys.
    @inline(__always)
    @_lifetime(output: copy output)
    fileprivate func opens(
        _ message: RawSpan, _ header: MessageHeader, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Bool {
        let verdict: MessageEnd.Verdict
        do throws(OpenSSLError) {
            verdict = try open(message, headerByteCount: header.byteCount, into: &output)
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
