import CryptorFormat

/// 64 encryptors and decryptors at once, each pair on a thread of its own, in chunks of many sizes.
/// Some are dropped in the middle, some are given an altered chunk.
enum Streams {
    static let count = 64

    static func start(on threads: Threads, _ setting: Setting, round: Int) {
        for index in 0..<count {
            threads.start {
                var chance = Chance(setting.seed, round, 1, index)
                setting.findings.watch("stream \(index) of round \(round)") {
                    try run(setting, &chance, hasPassword: index.isMultiple(of: 8))
                }
            }
        }
    }

    private static func run(_ setting: Setting, _ chance: inout Chance, hasPassword: Bool) throws {
        let credential = hasPassword ? setting.password : setting.keys
        let plaintext = setting.plaintext(&chance, upTo: 3 << 20)
        let isDropped = chance.isTrue(onceIn: 8)
        // The last bit of the HMAC is altered, which only `finish` can notice.
        let isAltered = !isDropped && chance.isTrue(onceIn: 8)

        var encryptor = try Encryptor(credential)
        var decryptor = try Decryptor(credential)
        var (position, checked) = (plaintext.startIndex, plaintext.startIndex)
        var (message, output): ([UInt8], [UInt8]) = ([], [])

        func check() throws {
            guard
                output.elementsEqual(
                    plaintext[checked..<min(checked + output.count, plaintext.endIndex)])
            else {
                let offset = checked - plaintext.startIndex
                throw Wrong("plaintext differs in \(output.count) bytes from \(offset) on")
            }
            checked += output.count
            output.removeAll(keepingCapacity: true)
        }

        while position < plaintext.endIndex {
            if isDropped, chance.isTrue(onceIn: 4) {
                return setting.findings.count("streams dropped")
            }
            let end = min(position + chunkByteCount(&chance), plaintext.endIndex)
            try encryptor.update(plaintext[position..<end], into: &message)
            position = end
            // The decryptor gets all but a random rest.
            let released = message.count - min(message.count, chance.number(0...100))
            try decryptor.update(message[..<released], unverifiedInto: &output)
            message.removeFirst(released)
            try check()
        }
        try encryptor.finish(into: &message)
        if isAltered { message[message.count - 1] ^= 1 }
        try decryptor.update(message, unverifiedInto: &output)
        do throws(CryptorError) {
            try decryptor.finish(into: &output)
        } catch {
            guard isAltered, error.code == .authenticationFailed else { throw error }
            return setting.findings.count("altered messages refused")
        }
        if isAltered { throw Wrong("an altered message was accepted") }
        try check()
        guard checked == plaintext.endIndex else {
            throw Wrong("\(checked - plaintext.startIndex) bytes of \(plaintext.count)")
        }
        setting.findings.count("streams")
    }

    /// From no bytes to so many that two threads share the work.
    private static func chunkByteCount(_ chance: inout Chance) -> Int {
        switch chance.number(0...9) {
        case 0: chance.number(0...1)
        case 1...3: chance.number(2...1000)
        case 4...6: chance.number(1000...70_000)
        case 7, 8: chance.number(70_000...600_000)
        default: chance.number(512 << 10...1 << 20)
        }
    }
}
