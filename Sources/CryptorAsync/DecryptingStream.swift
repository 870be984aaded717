import CryptorFormat
import CryptorSystem

/// Turns a message into plaintext.
final class DecryptingStream: StreamWork {
    private let credential: Credential
    private let accepting: Acceptance
    private let pool: CryptorPool
    private var decryptor: Decryptor?
    private var takenByteCount = 0

    init(_ credential: Credential, accepting: Acceptance, _ pool: CryptorPool) {
        self.credential = credential
        self.accepting = accepting
        self.pool = pool
    }

    func begin(isolation: isolated (any Actor)?) async throws(CryptorError) {
        try pool.admit(with: credential, upTo: 0)
        decryptor = try Decryptor(credential, accepting: accepting)
    }

    /// The header is taken by itself, so that it is known before keys have to be derived.
    var nextByteCount: Int {
        let rest = FormatVersion.longestHeaderByteCount - takenByteCount
        return rest > 0 ? rest : CryptorPool.smallByteCount
    }

    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8] {
        takenByteCount += piece.count
        guard decryptor != nil else { throw .concurrentUse }
        var output: [UInt8] = []
        let count = try decryptor?.take(piece, deriving: false, unverifiedInto: &output) ?? 0
        if count < piece.count {
            try await deriveOnPool(decryptor?.reading, isolation: isolation)
            try decryptor?.update(piece.dropFirst(count), unverifiedInto: &output)
        }
        return output
    }

    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8] {
        try await deriveOnPool(decryptor?.unansweredReadingAtEnd(), isolation: isolation)
        let isHeldBack = decryptor?.heldBackByteCount ?? 0 > 0
        let decryptor = Lock(decryptor.take())
        let finish = { @Sendable (_: Cancellation) throws(CryptorError) -> [UInt8] in
            guard let last = decryptor.withLock({ $0.take() }) else { throw .concurrentUse }
            var output: [UInt8] = []
            try last.finish(into: &output)
            return output
        }
        // This is slow if several candidates are tried on the complete message.
        return isHeldBack
            ? try await pool.messages.run(isAdmitted: true, finish) : try finish(Cancellation())
    }

    /// Has the pool derive the keys, unless they are known.
    private func deriveOnPool(
        _ reading: Reading?, isolation: isolated (any Actor)?
    ) async throws(CryptorError) {
        guard let reading else { return }
        let keys = try await pool.keys(for: reading.requests[0], isAdmitted: true)
        try decryptor?.begin(reading.answeringFirst(by: keys))
    }
}
