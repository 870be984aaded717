import CryptorFormat

/// Ten thousand tasks at once on the cooperative pool, through Cryptor and KeyedCryptor, and a thousand more that are
/// cancelled at a random moment.
enum SwiftTasks {
    static let count = 10_000
    static let cancelledCount = 1_000

    static func run(_ setting: Setting, round: Int) async {
        async let cancelled: Void = runCancelled(setting, round: round)
        await withTaskGroup { group in
            for index in 0..<count {
                group.addTask {
                    var chance = Chance(setting.seed, round, 3, index)
                    setting.findings.watch("task \(index) of round \(round)") {
                        try exchange(setting, &chance, hasPassword: index.isMultiple(of: 100))
                    }
                }
            }
        }
        await cancelled
        setting.findings.count("tasks", count)
    }

    private static func exchange(_ setting: Setting, _ chance: inout Chance, hasPassword: Bool) throws {
        guard hasPassword else { return try KeyMessages.exchange(setting, &chance, chance.number(1...999)) }
        let plaintext = setting.plaintext(&chance, upTo: 5000)
        let message = try Cryptor.encrypt(plaintext, with: setting.password)
        guard same(try Cryptor.decrypt(message, with: setting.password), plaintext) else {
            throw Wrong("a password message of \(plaintext.count) bytes differs")
        }
    }

    /// Each is a stream of its own that stops where it is.
    private static func runCancelled(_ setting: Setting, round: Int) async {
        var chance = Chance(setting.seed, round, 4)
        let moment = Duration.microseconds(chance.number(0...200_000))
        await withTaskGroup { group in
            for index in 0..<cancelledCount {
                group.addTask {
                    do {
                        try await stream(setting, Chance(setting.seed, round, 5, index))
                    } catch is CancellationError {
                        setting.findings.count("tasks cancelled")
                    } catch {
                        setting.findings.note("cancelled task \(index) of round \(round): \(error)")
                    }
                }
            }
            try? await Task.sleep(for: moment)
            group.cancelAll()
        }
    }

    private static func stream(_ setting: Setting, _ chance: Chance) async throws {
        var chance = chance
        let plaintext = setting.plaintext(&chance, upTo: 20_000)
        var (message, result): ([UInt8], [UInt8]) = ([], [])
        var encryptor = try Encryptor(setting.keys)
        var decryptor = try Decryptor(setting.keys)
        var rest = plaintext
        while !rest.isEmpty {
            try Task.checkCancellation()
            let chunk = rest.prefix(chance.number(1...5000))
            rest = rest.dropFirst(chunk.count)
            message.removeAll(keepingCapacity: true)
            try encryptor.update(chunk, into: &message)
            try decryptor.update(message, unverifiedInto: &result)
            await Task.yield()
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        try decryptor.update(message, unverifiedInto: &result)
        try decryptor.finish(into: &result)
        guard same(result, plaintext) else { throw Wrong("a stream of \(plaintext.count) bytes differs") }
        setting.findings.count("tasks that came before their cancellation")
    }
}
