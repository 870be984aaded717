import CryptorPrimitives

// Many messages under one password. Their keys are derived together, which takes less time than one after the other.
extension Cryptor {
    /// How many messages have their keys derived, and in memory, at a time.
    private static let groupCount = 16

    /// Encrypts each of `plaintexts` as ``encrypt(_:with:concurrency:)->[UInt8]`` would: with salts and an IV of its own.
    ///
    /// With a password this takes less time than one call a message where the processor has AVX-512 and there are three
    /// messages or more. All work is done by the calling thread, but for large messages, which may be spread over two.
    /// - Parameters:
    ///   - plaintexts: any number of them.
    ///   - credential: a password or keys.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    /// - Returns: for each plaintext, in their order, its message or its own failure.
    public static func encryptAll(
        _ plaintexts: some Collection<some Collection<UInt8>>, with credential: Credential,
        concurrency: Concurrency = .automatic
    ) -> [Result<[UInt8], CryptorError>] {
        encryptAll(plaintexts, with: credential, concurrency: concurrency, nextHeader: credential.freshHeader)
    }

    /// For tests: `nextHeader` gives the header of each message, in their order.
    package static func encryptAll(
        _ plaintexts: some Collection<some Collection<UInt8>>, with credential: Credential,
        concurrency: Concurrency = .automatic, nextHeader: () throws(CryptorError) -> Header
    ) -> [Result<[UInt8], CryptorError>] {
        encryptAll(plaintexts, with: credential, nextHeader: nextHeader) {
            (plaintext, credential, header) throws(CryptorError) in
            try encrypt(plaintext, with: credential, header: header, concurrency: concurrency)
        }
    }

    /// - Parameter encrypt: writes one message. It finds the keys in the credential.
    static func encryptAll<Plaintext, Message>(
        _ plaintexts: some Collection<Plaintext>, with credential: Credential,
        nextHeader: () throws(CryptorError) -> Header,
        _ encrypt: (Plaintext, Credential, Header) throws(CryptorError) -> Message
    ) -> [Result<Message, CryptorError>] {
        inGroups(plaintexts) { plaintexts in
            let headers = plaintexts.map { _ in Result { () throws(CryptorError) in try nextHeader() } }
            let credential = credential.prepared(for: headers.compactMap { try? $0.get() })
            return zip(plaintexts, headers).map { plaintext, header in
                Result { () throws(CryptorError) in try encrypt(plaintext, credential, try header.get()) }
            }
        }
    }

    /// Decrypts each of `messages` as ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` would, with the same error for each that
    /// is refused: the others are not affected.
    ///
    /// With a password this takes less time than one call a message where the processor has AVX-512 and there are three
    /// messages or more. All work is done by the calling thread, but for large messages, which may be spread over two.
    /// - Parameters:
    ///   - messages: of version 3 or 2, or of those that are accepted, in any mixture.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    /// - Returns: for each message, in their order, its plaintext, authentic, or its own failure.
    public static func decryptAll(
        _ messages: some Collection<some Collection<UInt8>>, with credential: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], concurrency: Concurrency = .automatic
    ) -> [Result<[UInt8], CryptorError>] {
        decryptAll(messages, with: credential, accepting: accepting) { (message, credential) throws(CryptorError) in
            try decrypt(message, with: credential, accepting: accepting, concurrency: concurrency)
        }
    }

    /// - Parameter decrypt: reads one message. It finds the keys in the credential.
    static func decryptAll<Message: Collection<UInt8>, Plaintext>(
        _ messages: some Collection<Message>, with credential: Credential, accepting: Set<FormatVersion>,
        _ decrypt: (Message, Credential) throws(CryptorError) -> Plaintext
    ) -> [Result<Plaintext, CryptorError>] {
        inGroups(messages) { messages in
            // A message whose shape is wrong derives no key, and is looked at again below: there it gets its error.
            let headers = messages.compactMap { message in
                guard credential.isPassword else { return Header?.none }
                let terms = ReadingTerms(
                    credential: credential, accepting: accepting, messageByteCount: message.count)
                return try? withRawSpan(of: message.prefix(FormatSize.passwordHeader)) {
                    (start) throws(CryptorError) in
                    try terms.header(of: start)
                }
            }
            let credential = credential.prepared(for: headers)
            return messages.map { message in
                Result { () throws(CryptorError) in try decrypt(message, credential) }
            }
        }
    }

    /// The results of `work` for a few messages at a time, so that no more keys than theirs are in memory at once.
    private static func inGroups<Messages: Collection, Output>(
        _ messages: Messages, _ work: ([Messages.Element]) -> [Result<Output, CryptorError>]
    ) -> [Result<Output, CryptorError>] {
        var results: [Result<Output, CryptorError>] = []
        results.reserveCapacity(messages.count)
        var rest = messages[...]
        while !rest.isEmpty {
            results += work(Array(rest.prefix(groupCount)))
            rest = rest.dropFirst(groupCount)
        }
        return results
    }
}
