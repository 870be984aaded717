import CryptorFiles

/// Opens the messages in lines, for `--lines`.
struct LineOpener {
    /// How many messages are opened together whose keys have to be derived: a signal ends the run
    /// between them.
    private static let derivedCount = 16

    struct Opened {
        let plaintext: [UInt8]
        /// Whether the first credential does not open it, or it is older than version 3.
        let needsRotation: Bool
    }

    private let credential: Credential
    private let cryptor: KeyedCryptor
    private let accepted: AcceptedVersions
    /// Whether ``Opened/needsRotation`` is asked for.
    private let tellsRotation: Bool

    init(
        _ credential: Credential, accepting accepted: AcceptedVersions,
        tellingRotation tellsRotation: Bool = false
    ) throws(CommandError) {
        self.credential = credential
        self.accepted = accepted
        self.tellsRotation = tellsRotation
        cryptor = try commandError(try KeyedCryptor(credential))
    }

    /// Opens each message.
    /// - Parameter finish: what becomes of one that is authentic.
    /// - Returns: that, or why it failed, for each text; nil for those that a signal came before.
    func open<Value>(
        _ texts: [LineText], _ finish: (Opened) throws(CommandError) -> Value
    ) -> [Result<Value, CommandError>?] {
        var message: [UInt8] = []
        // Messages whose keys have to be derived, which is done for several of them together.
        var waiting: [(index: Int, message: [UInt8])] = []
        var results: [Result<Value, CommandError>?] = []
        results.reserveCapacity(texts.count)
        for index in texts.indices {
            do throws(CommandError) {
                try MessageSpelling(of: texts[index]).decode(texts[index], into: &message)
                if let opened = try openedAtOnce(message) {
                    results.append(.success(try finish(opened)))
                } else {
                    waiting.append((index, message))
                    results.append(nil)
                }
            } catch {
                results.append(.failure(error))
            }
        }
        while !waiting.isEmpty, Interruption.signal == 0 {
            let batch = waiting.prefix(Self.derivedCount)
            let derived = cryptor.decryptAll(batch.map(\.message), accepting: accepted.inFull)
            for ((index, message), plaintext) in zip(batch, derived) {
                results[index] = Result { () throws(CommandError) in
                    try finish(try opened(message, plaintext))
                }
            }
            waiting.removeFirst(batch.count)
        }
        return results
    }

    /// Nil for a message whose keys have to be derived.
    private func openedAtOnce(_ message: [UInt8]) throws(CommandError) -> Opened? {
        if accepted.includesVersion0, message.first == 0 {
            let plaintext = try commandError(
                try Cryptor.decryptVersion0(message, with: credential))
            return Opened(plaintext: plaintext, needsRotation: true)
        }
        let opened = try commandError(
            try cryptor.openAtOnce(message, accepting: accepted.inFull))
        return opened.map { opened in
            Opened(plaintext: opened.plaintext, needsRotation: opened.needsRotation)
        }
    }

    /// - Parameter plaintext: what was decrypted together with others, so that the cryptor has the
    ///   keys.
    private func opened(
        _ message: [UInt8], _ plaintext: Result<[UInt8], CryptorError>
    ) throws(CommandError) -> Opened {
        let plaintext = try commandError(try plaintext.get())
        guard tellsRotation else { return Opened(plaintext: plaintext, needsRotation: true) }
        let opened = try commandError(try cryptor.open(message, accepting: accepted.inFull))
        return Opened(plaintext: opened.plaintext, needsRotation: opened.needsRotation)
    }
}
