// Many messages in one call. The call takes one place in the pool. Each thread works on a few of the messages at a
// time, so that other calls get their turn in between.
extension CryptorPool {
    /// Encrypts each of `plaintexts`: see ``Cryptor/encryptAll(_:with:concurrency:)->[Result<[UInt8],CryptorError>]``.
    /// - Parameters:
    ///   - plaintexts: any number of them.
    ///   - credential: a password or keys.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    /// - Returns: for each plaintext, in their order, its message or its own failure, which may be `cancelled` or
    ///   `overloaded` as well.
    public func encryptAll(
        _ plaintexts: some Collection<some Collection<UInt8> & Sendable>, with credential: Credential,
        concurrency: Concurrency = .automatic
    ) async -> [Result<[UInt8], CryptorError>] {
        await inGroups(Array(plaintexts)) { group in
            Cryptor.encryptAll(group, with: credential, concurrency: concurrency)
        }
    }

    /// Decrypts each of `messages`: see
    /// ``Cryptor/decryptAll(_:with:accepting:concurrency:)->[Result<[UInt8],CryptorError>]``.
    /// - Parameters:
    ///   - messages: any number of them, each of a version that is accepted.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - concurrency: whether the work on a large message may be spread over two threads.
    /// - Returns: for each message, in their order, its plaintext, authentic, or its own failure, which may be
    ///   `cancelled` or `overloaded` as well.
    public func decryptAll(
        _ messages: some Collection<some Collection<UInt8> & Sendable>, with credential: Credential,
        accepting: Acceptance = .default, concurrency: Concurrency = .automatic
    ) async -> [Result<[UInt8], CryptorError>] {
        await inGroups(Array(messages)) { group in
            Cryptor.decryptAll(group, with: credential, accepting: accepting, concurrency: concurrency)
        }
    }

    func inGroups<Message: Sendable, Output: Sendable>(
        _ messages: [Message], _ work: @escaping @Sendable (ArraySlice<Message>) -> [Result<Output, CryptorError>]
    ) async -> [Result<Output, CryptorError>] {
        let starts = stride(from: 0, to: messages.count, by: Cryptor.groupCount)
        let groups = starts.map { messages[$0..<min($0 + Cryptor.groupCount, messages.count)] }
        guard !groups.isEmpty else { return [] }
        do throws(CryptorError) {
            return try await gate.withPlace { () async throws(CryptorError) in
                await withTaskGroup(of: (Int, [Result<Output, CryptorError>]).self) { tasks in
                    var results: [[Result<Output, CryptorError>]] = groups.map { _ in [] }
                    for (index, group) in groups.enumerated() {
                        // Queues no more groups than there are threads: a queued group is ahead of all later work.
                        if index >= threadCount, let (done, outputs) = await tasks.next() { results[done] = outputs }
                        tasks.addTask { [self] in (index, await self.group(group, work)) }
                    }
                    for await (done, outputs) in tasks { results[done] = outputs }
                    return results.flatMap { $0 }
                }
            }
        } catch {
            return messages.map { _ in .failure(error) }
        }
    }

    private func group<Message: Sendable, Output: Sendable>(
        _ messages: ArraySlice<Message>,
        _ work: @escaping @Sendable (ArraySlice<Message>) -> [Result<Output, CryptorError>]
    ) async -> [Result<Output, CryptorError>] {
        do throws(CryptorError) {
            return try await runOnThread { () throws(CryptorError) in work(messages) }
        } catch {
            return messages.map { _ in .failure(error) }
        }
    }
}
