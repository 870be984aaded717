import CryptorFiles

/// Opens the messages in lines, for `--lines`.
struct LineOpener {
    private let credential: Credential
    private let cryptor: KeyedCryptor
    private let accepted: AcceptedVersions

    init(
        _ credential: Credential, accepting accepted: AcceptedVersions
    ) throws {
        self.credential = credential
        self.accepted = accepted
        cryptor = try KeyedCryptor(credential)
    }

    /// Opens the message in each line that has a text.
    /// - Parameter finish: what becomes of one that is authentic.
    /// - Returns: nil if a signal came before that was known of all.
    func open(
        _ lines: [LineWork.Line],
        _ finish: (_ plaintext: [UInt8], _ needsRotation: Bool) throws -> LineWork.Outcome
    ) -> [LineWork.Outcome]? {
        var message: [UInt8] = []
        // Messages that were not opened at once: their keys are derived for several of them
        // together. What is no short message is among them.
        var waiting: [(index: Int, message: [UInt8])] = []
        var outcomes: [LineWork.Outcome] = []
        outcomes.reserveCapacity(lines.count)
        for line in lines {
            do {
                switch line {
                case .empty: outcomes.append(.empty)
                case .failed(let error): throw error
                case .text(let text):
                    try MessageSpelling(of: text).decode(text, into: &message)
                    if accepted.includesVersion0, message.first == 0 {
                        // Each derives keys.
                        if Interruption.signal != 0 { return nil }
                        let plaintext = try Cryptor.decryptVersion0(message, with: credential)
                        outcomes.append(try finish(plaintext, true))
                    } else if let opened = try cryptor.openAtOnce(
                        message, accepting: accepted.inFull)
                    {
                        outcomes.append(try finish(opened.plaintext, opened.needsRotation))
                    } else {
                        waiting.append((outcomes.count, message))
                        outcomes.append(.empty)
                    }
                }
            } catch {
                outcomes.append(.failed(error))
            }
        }
        while !waiting.isEmpty {
            if Interruption.signal != 0 { return nil }
            let batch = waiting.prefix(LineWork.derivedCount)
            let derived = cryptor.openAll(batch.map(\.message), accepting: accepted.inFull)
            for ((index, _), result) in zip(batch, derived) {
                do {
                    let opened = try result.get()
                    outcomes[index] = try finish(opened.plaintext, opened.needsRotation)
                } catch {
                    outcomes[index] = .failed(error)
                }
            }
            waiting.removeFirst(batch.count)
        }
        return outcomes
    }
}
