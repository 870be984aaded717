import CryptorAsync

/// Ten thousand tasks at once through one CryptorPool, and a thousand more that are cancelled at a
/// random moment: streams in the middle, and password messages that wait for their keys.
enum SwiftTasks {
    static let count = 10_000
    static let cancelledCount = 1_000

    static func run(_ setting: Setting, round: Int) async {
        async let cancelled: Void = runCancelled(setting, round: round)
        await withTaskGroup { group in
            for index in 0..<count {
                group.addTask {
                    do {
                        try await exchange(setting, Chance(setting.seed, round, 3, index), index)
                    } catch {
                        setting.findings.note("task \(index) of round \(round): \(error)")
                    }
                }
            }
        }
        await cancelled
        setting.findings.count("tasks through the pool", count)
    }

    private static func exchange(_ setting: Setting, _ chance: Chance, _ index: Int) async throws {
        var chance = chance
        let credential = index.isMultiple(of: 100) ? setting.password : setting.keys
        let plaintext = setting.plaintext(&chance, upTo: index.isMultiple(of: 250) ? 300_000 : 5000)
        let message = try await CryptorPool.shared.encrypt(plaintext, with: credential)
        guard
            try await CryptorPool.shared.decrypt(message, with: credential).elementsEqual(plaintext)
        else {
            throw Wrong("a message of \(plaintext.count) bytes differs")
        }
        guard index.isMultiple(of: 200) else { return }
        do throws(CryptorError) {
            _ = try await CryptorPool.shared.decrypt(message.altered(&chance), with: credential)
        } catch {
            guard error.code == .authenticationFailed else { throw error }
            return setting.findings.count("altered messages refused")
        }
        throw Wrong("an altered message of \(message.count) bytes was accepted")
    }

    private static func runCancelled(_ setting: Setting, round: Int) async {
        var chance = Chance(setting.seed, round, 4)
        let moment = Duration.microseconds(chance.number(0...1_000_000))
        await withTaskGroup { group in
            for index in 0..<cancelledCount {
                group.addTask {
                    do {
                        try await stream(
                            setting, Chance(setting.seed, round, 5, index),
                            hasPassword: index.isMultiple(of: 10))
                    } catch let error as CryptorError where error.code == .cancelled {
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

    private static func stream(_ setting: Setting, _ chance: Chance, hasPassword: Bool) async throws
    {
        var chance = chance
        let plaintext = setting.plaintext(&chance, upTo: 5_000)
        let credential = hasPassword ? setting.password : setting.keys
        let result = try await Cryptor.decrypt(
            collecting: Chunks(rest: plaintext, chance: chance).encrypted(with: credential),
            upTo: 30_000,
            with: credential)
        var released: [UInt8] = []
        let stream = Chunks(rest: plaintext, chance: chance).encrypted(with: setting.keys)
        for try await chunk in stream.decryptedUnverified(with: setting.keys) { released += chunk }
        guard result.elementsEqual(plaintext), released.elementsEqual(plaintext) else {
            throw Wrong("a stream of \(plaintext.count) bytes differs")
        }
        setting.findings.count("tasks that came before their cancellation")
    }
}

/// A plaintext in chunks of random sizes.
private struct Chunks: AsyncSequence, AsyncIteratorProtocol {
    typealias Failure = Never

    var rest: ArraySlice<UInt8>
    var chance: Chance

    func makeAsyncIterator() -> Chunks { self }

    mutating func next(isolation: isolated (any Actor)?) async -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        await Task.yield()
        let chunk = rest.prefix(chance.number(1...5000))
        rest = rest.dropFirst(chunk.count)
        return chunk
    }
}
