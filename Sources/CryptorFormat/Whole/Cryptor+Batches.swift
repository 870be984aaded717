import CryptorPrimitives

// Many messages in one call. Under a password, their keys are derived together, which takes less time than one after
// the other; under keys, a `KeyedCryptor` does the work.
extension Cryptor {
    /// For how many messages keys are derived, and are in memory, at the same time.
    static let groupCount = 16

    /// Encrypts each of `plaintexts` as ``encrypt(_:with:)->[UInt8]`` would, each with its own salts and
    /// IV.
    ///
    /// With a password and three messages or more, this takes less time than a call for each message if the processor
    /// has AVX-512. The calling thread does all of the work, except that a large message may be spread over two
    /// threads.
    /// - Parameters:
    ///   - plaintexts: any number of them.
    ///   - credential: a password or keys.
    /// - Returns: for each plaintext, in their order, its message or its error.
    public static func encryptAll(
        _ plaintexts: some Collection<some Collection<UInt8>>, with credential: Credential
    ) -> [Result<[UInt8], CryptorError>] {
        if let keys = credential.keys {
            return each(of: plaintexts, under: keys) { $0.encryptAll(plaintexts) }
        }
        return inGroups(plaintexts) { _ throws(CryptorError) in
            let header = try credential.freshHeader()
            return (header, try credential.keySource(for: header))
        } work: { (plaintext, header, keys) throws(CryptorError) in
            guard let keys else { preconditionFailure("a new message has keys") }
            return try encrypt(plaintext, header: header, keys: keys)
        }
    }

    /// Decrypts each of `messages` as ``decrypt(_:with:accepting:)->[UInt8]`` would, with the same errors.
    /// A message that is refused does not affect the others. For the time that it takes, see ``encryptAll(_:with:)``.
    /// - Parameters:
    ///   - messages: messages of accepted versions (by default 3 and 2), in any mixture.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    /// - Returns: for each message, in their order, its authentic plaintext or its error.
    public static func decryptAll(
        _ messages: some Collection<some Collection<UInt8>>, with credential: Credential,
        accepting: Acceptance = .default
    ) -> [Result<[UInt8], CryptorError>] {
        if let keys = credential.keys {
            return each(of: messages, under: keys) { $0.decryptAll(messages, accepting: accepting) }
        }
        let terms = ReadingTerms(credential: credential, accepting: accepting)
        return inGroups(messages) { message throws(CryptorError) in
            let header = try terms.header(ofWhole: message)
            return (header, try terms.keySource(for: header))
        } work: { (message, _, keys) throws(CryptorError) in
            try decrypt(message, terms: terms, keys: keys)
        }
    }

    /// Returns the results of `work`, or the error that kept the cryptor from being set up, for each input.
    private static func each(
        of inputs: some Collection, under keys: KeyPair,
        _ work: (KeyedCryptor) -> [Result<[UInt8], CryptorError>]
    ) -> [Result<[UInt8], CryptorError>] {
        do throws(CryptorError) { return work(try KeyedCryptor(keys)) } catch {
            return inputs.map { _ in .failure(error) }
        }
    }

    /// Returns the results of `work`. Messages are taken in groups, so that only the keys of one group are in memory.
    /// - Parameters:
    ///   - prepare: returns the header of a message, and the source of its keys if that is known.
    ///   - work: gets the message, its header, and its keys if there was a source.
    private static func inGroups<Messages: Collection>(
        _ messages: Messages, prepare: (Messages.Element) throws(CryptorError) -> (Header, KeySource?),
        work: (Messages.Element, Header, KeyPair?) throws(CryptorError) -> [UInt8]
    ) -> [Result<[UInt8], CryptorError>] {
        var results: [Result<[UInt8], CryptorError>] = []
        results.reserveCapacity(messages.count)
        var rest = messages[...]
        while !rest.isEmpty {
            let group = rest.prefix(groupCount)
            rest = rest.dropFirst(groupCount)
            let prepared = group.map { message in Result { () throws(CryptorError) in try prepare(message) } }
            let keys = Result { () throws(CryptorError) in
                try KeyDerivation.keys(for: prepared.compactMap { (try? $0.get())?.1 })
            }
            var used = 0
            for (message, prepared) in zip(group, prepared) {
                results.append(
                    Result { () throws(CryptorError) in
                        let (header, source) = try prepared.get()
                        if source == nil { return try work(message, header, nil) }
                        defer { used += 1 }
                        return try work(message, header, try keys.get()[used])
                    })
            }
        }
        return results
    }
}
