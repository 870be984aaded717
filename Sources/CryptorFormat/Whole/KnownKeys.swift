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
        start = Header(salts: salts, iv: [UInt8](repeating: 0, count: FormatSize.iv)).bytes.dropLast(FormatSize.iv)
        // The first context is made now, so that a failure of OpenSSL is thrown here.
        try openSSL { () throws(OpenSSLError) in try contexts.withContext { _ in } }
    }

    func origin(of short: ShortMessage) -> MessageOrigin {
        MessageOrigin(credentialIndex: candidate.index, version: short.version)
    }

    /// Appends the message of a short plaintext; nothing if it throws. `output` must have room for the message.
    @inline(__always)
    @_lifetime(output: copy output)
    func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let start = output.byteCount
        do throws(OpenSSLError) {
            try contexts.withContext { (context) throws(OpenSSLError) in
                try context.write(plaintext, after: self.start, into: &output)
            }
        } catch {
            output.removeLast(output.byteCount - start)
            throw .openSSL(error)
        }
    }

    /// Appends the plaintext of a short message; nothing if it throws. `output` must have room for the ciphertext.
    /// - Returns: whether the message is authentic under these keys; if not, nothing is appended.
    @inline(__always)
    @_lifetime(output: copy output)
    func opens(
        _ message: RawSpan, _ short: ShortMessage, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Bool {
        guard !candidate.isShortened || short.version.passwordsWereTruncated else { return false }
        var fault: MessageFault?
        try openSSL { () throws(OpenSSLError) in
            try contexts.withContext { (context) throws(OpenSSLError) in
                fault = try context.read(message, headerByteCount: short.headerByteCount, into: &output)
            }
        }
        if fault == .badlyPadded { throw .corruptPadding }
        return fault == nil
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
    private let ownSalts: Header.Salts?
    private let state = Lock(State())

    init(own: KnownKeys?) {
        self.own = own
        ownSalts = own?.salts
    }

    @inline(__always)
    subscript(salts: Header.Salts) -> KnownKeys? { find(salts).known }

    /// - Returns: the keys, if they are known, and whether `keep` would change nothing.
    @inline(__always)
    func find(_ salts: Header.Salts) -> (known: KnownKeys?, isKept: Bool) {
        if salts == ownSalts { return (own, true) }
        return state.withLock { state in
            if let latest = state.latest, latest.salts == salts { return (latest, true) }
            return (state.entries[salts]?.known, false)
        }
    }

    /// Called once a message under these keys was authentic, so that no forged one decides which keys stay.
    @inline(__always)
    func keep(_ known: KnownKeys) {
        guard let salts = known.salts, salts != ownSalts else { return }
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

/// What may be wrong with a message that was read.
enum MessageFault {
    case forged, badlyPadded
}

// Short messages of version 3 or 2. The order of steps is that of `MessageWriter` and `MessageReader`, whose setup takes
// several times as long as a short message.
extension KeyedContext {
    /// Appends the message. `output` must have room for it.
    /// - Parameter start: all of the header but the IV.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func write(
        _ plaintext: RawSpan, after start: [UInt8], into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        let offset = output.byteCount
        withRawSpan(of: start) { start in start.append(to: &output) }
        try encrypt(plaintext, into: &output)
        try authenticate(output.bytes.extracting(droppingFirst: offset))
        try authenticator.finish(into: &output)
    }

    /// Appends the plaintext of a short message. `output` must have room for the ciphertext. Nothing is decrypted before
    /// the tag has matched.
    /// - Returns: what is wrong with the message, with nothing appended; nil if nothing is wrong.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func read(
        _ message: RawSpan, headerByteCount: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> MessageFault? {
        let (body, tag) = (message.extracting(droppingLast: FormatSize.tag), message.extracting(last: FormatSize.tag))
        try authenticate(body)
        guard try authenticator.finish(matching: tag) else { return .forged }
        let isPadded = try decrypt(
            body.extracting(droppingFirst: headerByteCount),
            iv: body.extracting(headerByteCount - FormatSize.iv..<headerByteCount), into: &output)
        return isPadded ? nil : .badlyPadded
    }
}
