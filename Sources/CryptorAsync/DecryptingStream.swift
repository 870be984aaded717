import CryptorFormat
import CryptorSystem

/// Turns a message into plaintext.
final class DecryptingStream: StreamWork {
    private let credential: Credential
    private let accepting: Acceptance
    private let opener: MessageOpener
    private let pool: CryptorPool
    private var decryptor: Decryptor?
    private var takenByteCount = 0

    init(_ credential: Credential, accepting: Acceptance, _ pool: CryptorPool) {
        self.credential = credential
        self.accepting = accepting
        self.pool = pool
        opener = MessageOpener(credential: credential, accepting: accepting)
    }

    func begin(isolation: isolated (any Actor)?) async throws(CryptorError) {
        try pool.admit(reading: opener, upTo: 0)
        decryptor = try Decryptor(credential, accepting: accepting)
    }

    /// The header is taken by itself, so that it is known before keys have to be derived.
    var nextByteCount: Int {
        let rest = FormatSize.passwordHeader - takenByteCount
        return rest > 0 ? rest : CryptorPool.smallByteCount
    }

    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8] {
        let byteCount = piece.count
        takenByteCount += byteCount
        guard decryptor != nil else { throw .concurrentUse }
        try await prepare(decryptor?.headerToPrepare(adding: byteCount), isolation: isolation)
        var output: [UInt8] = []
        try decryptor?.update(piece, unverifiedInto: &output)
        return output
    }

    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8] {
        let header = try decryptor?.headerToPrepareAtEnd()
        try await prepare(header, isolation: isolation)
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

    private func prepare(_ header: MessageHeader?, isolation: isolated (any Actor)?)
        async throws(CryptorError)
    {
        guard let header, let source = try opener.keySource(for: header) else { return }
        try decryptor?.prepare(header, keys: try await pool.keys(from: source, isAdmitted: true))
    }
}
