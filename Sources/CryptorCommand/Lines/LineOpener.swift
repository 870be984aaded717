import CryptorFiles

/// Opens the messages in lines, for `--lines`.
struct LineOpener {
    /// How many messages are opened together whose keys have to be derived: a signal ends the run
    /// between them.
    private static let derivedCount = 16

    private let credential: Credential
    private let cryptor: KeyedCryptor
    private let accepted: AcceptedVersions

    init(
        _ credential: Credential, accepting accepted: AcceptedVersions
    ) throws(CommandError) {
        self.credential = credential
        self.accepted = accepted
        cryptor = try commandError(try KeyedCryptor(credential))
    }

    /// Opens each message.
    /// - Parameter finish: what becomes of one that is authentic.
    /// - Returns: that, or why it failed, for each text; nil for those that a signal came before.
    func open<Value>(
        _ texts: [LineText],
        _ finish: (_ plaintext: [UInt8], _ needsRotation: Bool) throws(CommandError) -> Value
    ) -> [Result<Value, CommandError>?] {
        var message: [UInt8] = []
        // Messages that were not opened at once: their keys are derived for several of them
        // together. What is no short message is among them.
        var waiting: [(index: Int, message: [UInt8])] = []
        var results: [Result<Value, CommandError>?] = []
        results.reserveCapacity(texts.count)
        for index in texts.indices {
            do throws(CommandError) {
                try MessageSpelling(of: texts[index]).decode(texts[index], into: &message)
                if accepted.includesVersion0, message.first == 0 {
                    // Each derives keys.
                    guard Interruption.signal == 0 else { return texts.map { _ in nil } }
                    let plaintext = try commandError(
                        try Cryptor.decryptVersion0(message, with: credential))
                    results.append(.success(try finish(plaintext, true)))
                } else if let opened = try commandError(
                    try cryptor.openAtOnce(message, accepting: accepted.inFull))
                {
                    results.append(.success(try finish(opened.plaintext, opened.needsRotation)))
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
            let derived = cryptor.openAll(batch.map(\.message), accepting: accepted.inFull)
            for ((index, _), opened) in zip(batch, derived) {
                results[index] = Result { () throws(CommandError) in
                    let opened = try commandError(try opened.get())
                    return try finish(opened.plaintext, opened.needsRotation)
                }
            }
            waiting.removeFirst(batch.count)
        }
        return results
    }
}
