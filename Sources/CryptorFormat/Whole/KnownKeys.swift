import CryptorPrimitives
import CryptorSystem

/// The keys of a candidate, with the contexts for short messages: of a pair of keys, or of a password under some salts.
final class KnownKeys: Sendable {
    let keys: KeyPair
    let salts: Header.Salts?
    let candidate: Candidate
    private let contexts: ContextPool
    /// The start of a message: all of the header but the IV.
    private let start: [UInt8]

    init(_ keys: KeyPair, salts: Header.Salts?, of candidate: Candidate) throws(CryptorError) {
        self.keys = keys
        self.salts = salts
        self.candidate = candidate
        contexts = ContextPool(encryptionKey: keys.encryptionKey, hmacKey: keys.hmacKey)
        start = Header(salts: salts, iv: [UInt8](repeating: 0, count: FormatSize.iv)).bytes
            .dropLast(FormatSize.iv)
        // The first context is made now, so that a failure of OpenSSL is thrown here.
        try openSSL { () throws(OpenSSLError) in try contexts.withContext { _ in } }
    }

    func origin(of short: ShortMessage) -> MessageOrigin { (candidate.index, short.version) }

    // The order of steps is that of `MessageWriter` and `MessageReader`, whose setup takes several times as long as a
    // short message.

    /// Appends the message of a short plaintext; nothing if it throws. `output` must have room for the message.
    @inline(__always)
    @_lifetime(output: copy output)
    func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let offset = output.byteCount
        do throws(OpenSSLError) {
            try contexts.withContext { (context) throws(OpenSSLError) in
                withRawSpan(of: start) { start in start.append(to: &output) }
                try context.encrypt(plaintext, into: &output)
                try context.authenticate(output.bytes.extracting(droppingFirst: offset))
                try context.authenticator.finish(into: &output)
            }
        } catch {
            output.removeLast(output.byteCount - offset)
            throw .openSSL(error)
        }
    }

    /// Appends the plaintext of a short message; nothing if it throws. `output` must have room for the ciphertext.
    /// Nothing is decrypted before the tag has matched.
    /// - Returns: whether the message is authentic under these keys; if not, nothing is appended.
    @inline(__always)
    @_lifetime(output: copy output)
    func opens(
        _ message: RawSpan, _ short: ShortMessage, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Bool {
        guard !candidate.isShortened || short.version.passwordsWereTruncated else { return false }
        let body = message.extracting(droppingLast: FormatSize.tag)
        let iv = body.extracting(short.headerByteCount - FormatSize.iv..<short.headerByteCount)
        var (isAuthentic, isPadded) = (false, false)
        try openSSL { () throws(OpenSSLError) in
            try contexts.withContext { (context) throws(OpenSSLError) in
                try context.authenticate(body)
                isAuthentic = try context.authenticator.finish(
                    matching: message.extracting(last: FormatSize.tag))
                guard isAuthentic else { return }
                isPadded = try context.decrypt(
                    body.extracting(droppingFirst: short.headerByteCount), iv: iv, into: &output)
            }
        }
        if isAuthentic, !isPadded { throw .corruptPadding }
        return isAuthentic
    }
}

/// The keys of the salts under which messages were authentic: the last ones, and those of the cryptor's own messages.
final class SaltCache: Sendable {
    static let limit = 256

    private struct State {
        var entries: [Header.Salts: (known: KnownKeys, lastUse: Int)] = [:]
        /// Messages with the same salts often follow each other.
        var latest: KnownKeys?
        var useCount = 0
    }

    private let own: KnownKeys?
    private let state = Lock(State())
    /// The process of this cache. In its child, the lock may be held by a thread that is not there, so nothing is found.
    private let process = ProcessIdentity()

    init(own: KnownKeys?) { self.own = own }

    @inline(__always)
    subscript(salts: Header.Salts) -> KnownKeys? { find(salts).known }

    /// - Returns: the keys, if they are known, and whether `keep` would change nothing.
    @inline(__always)
    func find(_ salts: Header.Salts) -> (known: KnownKeys?, isKept: Bool) {
        if salts == own?.salts { return (own, true) }
        guard process.isCurrent else { return (nil, true) }
        return state.withLock { state in
            if let latest = state.latest, latest.salts == salts { return (latest, true) }
            return (state.entries[salts]?.known, false)
        }
    }

    /// Called once a message under these keys was authentic, so that no forged one decides which keys stay.
    @inline(__always)
    func keep(_ known: KnownKeys) {
        guard let salts = known.salts, salts != own?.salts, process.isCurrent else { return }
        state.withLock { state in
            guard state.latest !== known else { return }
            state.useCount += 1
            state.entries[salts] = (known, state.useCount)
            state.latest = known
            guard state.entries.count > Self.limit else { return }
            let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }
            if let oldest { state.entries[oldest.key] = nil }
        }
    }
}
