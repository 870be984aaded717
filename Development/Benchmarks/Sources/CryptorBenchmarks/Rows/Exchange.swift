/// A plaintext, room for its message, and room for the decrypted plaintext. All of this memory has
/// been touched.
struct Exchange {
    let primitives: Primitives
    let plaintext: Memory
    let message: Memory
    let decrypted: Memory
    /// How often the work is done in one run.
    let times: Int

    /// Fills the message, too, so that it can be decrypted at once.
    init(byteCount: Int, times: Int = 1) throws {
        primitives = try Primitives()
        plaintext = Memory(byteCount: byteCount, seed: 1)
        message = Memory(byteCount: Primitives.messageByteCount(for: byteCount))
        decrypted = Memory(byteCount: message.count)
        self.times = times
        try primitives.encrypt(plaintext, into: message)
    }

    // MARK: Contenders

    /// - Parameter run: leaves a message of the plaintext in `message`.
    func encryption(_ name: String, _ run: @escaping () throws -> Void) -> Contender {
        Contender(name: name, messages: times, prepare: message.clear, run: run) {
            try check(
                primitives.message(message.readable, holds: plaintext.readable),
                "it is no message of the plaintext")
        }
    }

    /// - Parameter run: leaves the plaintext in `decrypted`.
    func decryption(_ name: String, _ run: @escaping () throws -> Void) -> Contender {
        Contender(name: name, messages: times, prepare: decrypted.clear, run: run) {
            try check(decrypted.starts(with: plaintext.readable), "it is not the plaintext")
        }
    }

    // MARK: OpenSSL's calls in turn, with reused contexts

    var plainEncryption: Contender {
        encryption("OpenSSL by C") {
            try primitives.encrypt(plaintext, into: message, times: times)
        }
    }

    var plainDecryption: Contender {
        decryption("OpenSSL by C") {
            try primitives.decrypt(message, into: decrypted, times: times)
        }
    }

    // MARK: Primitives alone

    var cbcEncryption: Contender {
        Contender(name: "AES-256-CBC alone", messages: times) {
            try primitives.encryptCBC(plaintext, into: decrypted, times: times)
        }
    }

    /// Over whole blocks of ciphertext: as many bytes as the plaintext has, or a few less.
    var hashing: Contender {
        Contender(name: "SHA-256 alone", messages: times) {
            try primitives.hash(message, count: plaintext.count / 16 * 16, times: times)
        }
    }
}
