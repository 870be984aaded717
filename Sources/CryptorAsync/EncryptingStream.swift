import CryptorFormat

/// Turns plaintext into a message.
final class EncryptingStream: StreamWork {
    private let credential: Credential
    private let pool: CryptorPool
    private var encryptor: Encryptor?
    /// The header of the message and the request for its keys, if the pool has admitted it.
    private var admitted: (header: MessageHeader, request: KeyRequest)?

    init(_ credential: Credential, _ pool: CryptorPool) {
        self.credential = credential
        self.pool = pool
    }

    let nextByteCount = CryptorPool.smallByteCount

    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8] {
        guard encryptor != nil else { throw .concurrentUse }
        var output: [UInt8] = []
        try encryptor?.update(piece, into: &output)
        return output
    }

    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8] {
        guard let last = encryptor.take() else { throw .concurrentUse }
        var output: [UInt8] = []
        try last.finish(into: &output)
        return output
    }

    /// Has the pool admit the message, or refuse it, before anything else is done for it.
    func admit() throws(CryptorError) {
        let message = try credential.newMessage()
        if message.request.answer == nil { try pool.messages.admit() }
        admitted = message
    }

    func begin(isolation: isolated (any Actor)?) async throws(CryptorError) {
        let message = if let admitted { admitted } else { try credential.newMessage() }
        let keys = try await pool.keys(for: message.request, isAdmitted: admitted != nil)
        encryptor = try Encryptor(message.header, keys: keys)
    }
}
