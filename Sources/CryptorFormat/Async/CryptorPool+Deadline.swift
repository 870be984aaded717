extension CryptorPool {
    /// Runs `body` with a time limit, such as that of a request. When the time has passed, `body` is cancelled, and
    /// what it waits for on a pool is dropped at once. Work that has begun ends before this function returns: work on
    /// files stops soon, and the code of `body` itself when it checks whether it was cancelled.
    ///
    /// ```swift
    /// let plaintext = try await CryptorPool.within(.seconds(1)) { try await pool.decrypt(message, with: password) }
    /// ```
    /// - Parameters:
    ///   - duration: how long `body` may take; a negative duration counts as zero.
    ///   - body: the work.
    /// - Returns: what `body` returns.
    /// - Throws: `timedOut`, or what `body` throws, also when the calling task was cancelled.
    public static func within<Value: Sendable>(
        _ duration: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                // The clock ends the process for a duration that it cannot represent.
                let duration = min(max(.zero, duration), .seconds(1 << 32))
                // If the calling task was cancelled, `body` reports it.
                do { try await Task.sleep(for: duration) } catch { return nil }
                throw CryptorError.timedOut
            }
            while let ending = try await group.next() {
                if let value = ending { return value }
            }
            throw CryptorError.cancelled
        }
    }
}
