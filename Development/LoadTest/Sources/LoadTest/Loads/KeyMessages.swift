import CryptorFormat

/// Very many small messages from 8 threads through one KeyedCryptor, each of them checked. Now and
/// then Cryptor, which has other code, encrypts or decrypts one.
enum KeyMessages {
    static let threadCount = 8
    static let countPerThread = 12_500

    static func start(on threads: Threads, _ setting: Setting, round: Int) {
        for index in 0..<threadCount {
            threads.start {
                var chance = Chance(setting.seed, round, 2, index)
                setting.findings.watch("key messages of thread \(index), round \(round)") {
                    for number in 0..<countPerThread { try exchange(setting, &chance, number) }
                    setting.findings.count("key messages through one KeyedCryptor", countPerThread)
                }
            }
        }
    }

    static func exchange(_ setting: Setting, _ chance: inout Chance, _ number: Int) throws {
        let plaintext = setting.plaintext(
            &chance, upTo: number.isMultiple(of: 1000) ? 300_000 : 200)
        let isChecked = number.isMultiple(of: 50)
        let message =
            isChecked && chance.isTrue(onceIn: 2)
            ? try Cryptor.encrypt(plaintext, with: setting.keys)
            : try setting.keyed.encrypt(plaintext)
        guard message.count == setting.keyed.messageByteCount(for: plaintext.count) else {
            throw Wrong("message \(number) has \(message.count) bytes for \(plaintext.count)")
        }
        let result =
            isChecked && chance.isTrue(onceIn: 2)
            ? try Cryptor.decrypt(message, with: setting.keys) : try setting.keyed.decrypt(message)
        guard result.elementsEqual(plaintext) else {
            throw Wrong("message \(number) of \(plaintext.count) bytes differs")
        }
        guard number.isMultiple(of: 100) else { return }
        try refuse(message.altered(&chance)) { message in try setting.keyed.decrypt(message) }
        setting.findings.count("altered messages refused")
    }

    static func refuse(_ message: [UInt8], _ decrypt: ([UInt8]) throws -> [UInt8]) throws {
        do {
            _ = try decrypt(message)
        } catch let error as CryptorError where error.code == .authenticationFailed {
            return
        }
        throw Wrong("an altered message of \(message.count) bytes was accepted")
    }
}
