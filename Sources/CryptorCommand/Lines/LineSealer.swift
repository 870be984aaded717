import CryptorFiles

/// Makes messages of plaintexts, for `--lines`.
struct LineSealer {
    private let credential: Credential
    private let cryptor: KeyedCryptor
    /// Whether each message has salts of its own.
    private let drawsSalts: Bool
    /// How many messages come next, as far as that is known.
    private var expectedCount = 0
    /// Headers with salts of their own for the next messages, and their keys.
    private var drawn: [(header: MessageHeader, keys: MessageKeys)] = []

    /// - Throws: if nothing can be written under the credential, such as with too few iterations:
    ///   now, and not for each line.
    init(_ credential: Credential, drawsSalts: Bool) throws {
        self.credential = credential
        self.drawsSalts = drawsSalts
        cryptor = try KeyedCryptor(credential)
        _ = try cryptor.encrypt([])
    }

    /// The same sealer, which derives no more keys than so many messages need.
    func expecting(_ count: @autoclosure () -> Int) -> LineSealer {
        guard drawsSalts else { return self }
        var expecting = self
        expecting.expectedCount = count()
        return expecting
    }

    mutating func seal(_ plaintext: some Collection<UInt8>) throws -> [UInt8] {
        guard drawsSalts else { return try cryptor.encrypt(plaintext) }
        if drawn.isEmpty {
            // The lines of a batch that a signal ends are not written.
            guard Interruption.signal == 0 else { throw CommandError.interrupted }
            let count = min(max(expectedCount, 1), LineWork.derivedCount)
            drawn = try credential.newMessages(count: count)
        }
        expectedCount -= 1
        let (header, keys) = drawn.removeLast()
        return try Cryptor.encrypt(plaintext, header: header, keys: keys)
    }
}
