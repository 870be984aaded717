import CryptorFormat

/// What all loads share.
struct Setting: Sendable {
    let seed: UInt64
    let findings = Findings()
    let directory: WorkDirectory
    /// Every plaintext is a part of this.
    let bytes: [UInt8]
    let password: Credential
    let keys: Credential
    let keyed: KeyedCryptor

    init(seed: UInt64) throws {
        self.seed = seed
        directory = try WorkDirectory()
        var chance = Chance(seed)
        bytes = (0..<4 << 20).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        password = try .password("pässword under load")
        let pair = try MessageKeys.random()
        keys = .keys(pair)
        keyed = try KeyedCryptor(pair)
    }

    func plaintext(_ chance: inout Chance, upTo maximum: Int) -> ArraySlice<UInt8> {
        let count = chance.number(0...maximum)
        let start = chance.number(0...bytes.count - count)
        return bytes[start..<start + count]
    }
}

extension Array where Element == UInt8 {
    /// A copy with one bit flipped: a message that must be refused. The first two bytes, which have
    /// their own errors, stay.
    func altered(_ chance: inout Chance) -> [UInt8] {
        var copy = self
        copy[chance.number(2...count - 1)] ^= 1 << UInt8(chance.number(0...7))
        return copy
    }
}
