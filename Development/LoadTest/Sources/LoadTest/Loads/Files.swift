import CryptorFiles

/// Files that are encrypted, decrypted, verified and rekeyed side by side. One operation in three
/// is cancelled at a random moment, if it has not ended before.
enum Files {
    static let threadCount = 12

    static func start(on threads: Threads, _ setting: Setting, round: Int) {
        for index in 0..<threadCount {
            threads.start {
                setting.findings.watch("files of thread \(index), round \(round)") {
                    var worker = Worker(
                        setting: setting, chance: Chance(setting.seed, round, 6, index),
                        index: index)
                    try worker.run()
                }
            }
        }
    }

    private struct Worker {
        let setting: Setting
        var chance: Chance
        let index: Int

        mutating func run() throws {
            let (plain, message) = ("plain-\(index)", "message-\(index)")
            let (rekeyed, result) = ("rekeyed-\(index)", "result-\(index)")
            let directory = setting.directory
            defer { directory.remove(plain, message, rekeyed, result) }
            let plaintext = setting.plaintext(&chance, upTo: 3 << 20)
            try directory.write(plaintext, to: plain)
            let hasPassword = index.isMultiple(of: 3)
            let (old, new) =
                hasPassword ? (setting.password, setting.keys) : (setting.keys, setting.password)

            try untilDone(creating: message) { progress in
                try Cryptor.encryptFile(
                    at: directory.file(plain), to: directory.file(message), with: old,
                    progress: progress)
            }
            try untilDone(creating: nil) { progress in
                let count = try Cryptor.verifyFile(
                    at: directory.file(message), with: old, progress: progress)
                guard count == plaintext.count else {
                    throw Wrong("verified \(count) bytes of \(plaintext.count)")
                }
            }
            try untilDone(creating: rekeyed) { progress in
                try Cryptor.rekeyFile(
                    at: directory.file(message), to: directory.file(rekeyed), from: old, into: new,
                    progress: progress)
            }
            for (name, credential) in [(message, old), (rekeyed, new)] {
                try untilDone(creating: result) { progress in
                    try Cryptor.decryptFile(
                        at: directory.file(name), to: directory.file(result), with: credential,
                        progress: progress)
                }
                guard try directory.read(result).elementsEqual(plaintext) else {
                    throw Wrong("\(name) differs when decrypted")
                }
                directory.remove(result)
            }

            let altered = try directory.read(message).altered(&chance)
            try directory.write(altered[...], to: message)
            try KeyMessages.refuse(altered) { _ in
                try Cryptor.decryptFile(
                    at: directory.file(message), to: directory.file(result), with: old)
                return []
            }
            guard !directory.has(result) else {
                throw Wrong("\(result) is there, although its message was altered")
            }
            setting.findings.count("altered messages refused")
        }

        /// Does the operation, and does it again if it was cancelled.
        private mutating func untilDone(
            creating name: String?, _ operation: (((FileProgress) throws -> Void)?) throws -> Void
        ) throws {
            setting.findings.count("operations on files")
            guard chance.isTrue(onceIn: 3) else { return try operation(nil) }
            let moment = ContinuousClock.now + .microseconds(chance.number(0...30_000))
            do {
                return try operation { _ in
                    if ContinuousClock.now > moment { throw CancellationError() }
                }
            } catch let error as CryptorError where error.code == .cancelled {
                setting.findings.count("operations on files cancelled")
            }
            if let name, setting.directory.has(name) {
                throw Wrong("\(name) is there, although it was cancelled")
            }
            try operation(nil)
        }
    }
}
