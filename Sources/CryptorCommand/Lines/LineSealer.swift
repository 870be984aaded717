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

    var batchCount: Int { drawsSalts ? Self.slowBatchCount : Self.usualBatchCount }

    /// - Throws: if nothing can be written under the credential, such as with too few iterations:
    ///   now, and not for each line.
    init(_ credential: Credential, drawsSalts: Bool) throws {
        self.credential = credential
        self.drawsSalts = drawsSalts
        cryptor = try KeyedCryptor(credential)
        _ = try cryptor.encrypt([])
    }

    func seal(_ plaintext: some Collection<UInt8>) throws -> [UInt8] {
        guard drawsSalts else { return try cryptor.encrypt(plaintext) }
        return try Cryptor.encrypt(plaintext, with: credential)
    }
}
