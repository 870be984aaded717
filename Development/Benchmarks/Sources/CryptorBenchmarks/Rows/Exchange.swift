/// A plaintext, room for its message, and room for the decrypted plaintext. All of this memory has been touched.
struct Exchange {
    let primitives: Primitives
    let plaintext: Memory
    let message: Memory
    let decrypted: Memory
    /// How often the work is done in one run.
    let times: Int

    /// Fills the message, too, so that it can be decrypted at once.
    init(byteCount: Int, times: Int = 1) throws(BenchmarkError) {
        primitives = try Primitives()
        plaintext = Memory(byteCount: byteCount, seed: 1)
        message = Memory(byteCount: Primitives.messageByteCount(for: byteCount))
        decrypted = Memory(byteCount: message.count)
        self.times = times
        try primitives.encrypt(plaintext, into: message)
    }

    /// Whole blocks of ciphertext: as many bytes as the plaintext has, or a few less.
    var cipherByteCount: Int { plaintext.count / 16 * 16 }

    // MARK: Contenders

    func encryption(_ name: String, _ streaming: Streaming) -> Contender {
        encryption(name) { () throws(BenchmarkError) in
            try streaming.encrypt(plaintext, into: message)
        }
    }

    func decryption(_ name: String, _ streaming: Streaming) -> Contender {
        decryption(name) { () throws(BenchmarkError) in
            try streaming.decrypt(message, into: decrypted)
        }
    }

    /// - Parameter run: leaves a message of the plaintext in `message`.
    func encryption(_ name: String, _ run: @escaping () throws(BenchmarkError) -> Void) -> Contender {
        Contender(name: name, messages: times) { () throws(BenchmarkError) in
            message.clear()
        } run: { () throws(BenchmarkError) in
            try run()
        } check: { () throws(BenchmarkError) in
            try checkMessage()
        }
    }

    /// - Parameter run: leaves the plaintext in `decrypted`.
    func decryption(_ name: String, _ run: @escaping () throws(BenchmarkError) -> Void) -> Contender {
        Contender(name: name, messages: times) { () throws(BenchmarkError) in
            decrypted.clear()
        } run: { () throws(BenchmarkError) in
            try run()
        } check: { () throws(BenchmarkError) in
            try check(decrypted.starts(with: plaintext, byteCount: plaintext.count), "it is not the plaintext")
        }
    }

    func checkMessage() throws(BenchmarkError) {
        try check(
            primitives.message(message.readable, holds: plaintext.readable), "it is no message of the plaintext")
    }

    // MARK: OpenSSL's calls in turn, with reused contexts

    func plainEncryption() -> Contender {
        encryption("OpenSSL by C") { () throws(BenchmarkError) in
            try primitives.encrypt(plaintext, into: message, times: times)
        }
    }

    func plainDecryption() -> Contender {
        decryption("OpenSSL by C") { () throws(BenchmarkError) in
            try primitives.decrypt(message, into: decrypted, times: times)
        }
    }

    // MARK: Primitives alone

    var cbcEncryption: Contender {
        Contender(name: "AES-256-CBC alone", messages: times) { () throws(BenchmarkError) in
            try primitives.encryptCBC(plaintext, into: decrypted, times: times)
        }
    }

    var hashing: Contender {
        Contender(name: "SHA-256 alone", messages: times) { () throws(BenchmarkError) in
            try primitives.hash(message, count: cipherByteCount, times: times)
        }
    }
}
