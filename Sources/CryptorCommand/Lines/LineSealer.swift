import CryptorFiles

/// Makes messages of plaintexts, for `--lines`.
struct LineSealer {
    /// How many lines are worked on together, and how many if each may take long.
    static let usualBatchCount = 256
    private static let slowBatchCount = 16

    private let credential: Credential
    private let cryptor: KeyedCryptor
    /// Whether each message has salts of its own.
    private let drawsSalts: Bool

    /// Headers with salts of their own for the next messages, and their keys.
    private var drawn: [(header: MessageHeader, keys: MessageKeys)] = []

    var batchCount: Int { drawsSalts ? Self.slowBatchCount : Self.usualBatchCount }

    /// - Throws: if nothing can be written under the credential, such as with too few iterations:
    ///   now, and not for each line.
    init(_ credential: Credential, drawsSalts: Bool) throws {
        self.credential = credential
        self.drawsSalts = drawsSalts
        cryptor = try KeyedCryptor(credential)
        _ = try cryptor.encrypt([])
    }

    /// The same sealer, with the keys of so many messages with salts of their own, which are
    /// derived together.
    func prepared(for count: @autoclosure () -> Int) -> LineSealer {
        guard drawsSalts else { return self }
        var prepared = self
        // A failure of OpenSSL will show again when a message needs its keys.
        prepared.drawn = (try? credential.newMessages(count: count())) ?? []
        return prepared
    }

    mutating func seal(_ plaintext: some Collection<UInt8>) throws -> [UInt8] {
        guard drawsSalts else { return try cryptor.encrypt(plaintext) }
        guard let (header, keys) = drawn.popLast() else {
            return try Cryptor.encrypt(plaintext, with: credential)
        }
        return try Cryptor.encrypt(plaintext, header: header, keys: keys)
    }
}
