extension CryptorPool {
    /// Does `body` within a time, such as a request has: when it has passed, `body` is cancelled, and what it waited for on a
    /// pool is dropped at once. Work that has begun is finished first.
    ///
    /// ```swift
    /// let plaintext = try await CryptorPool.within(.seconds(1)) { try await pool.decrypt(message, with: password) }
    /// ```
    /// - Parameters:
    ///   - duration: how long it may take.
    ///   - body: the work.
    /// - Returns: what `body` returns.
    /// - Throws: `timedOut`, or what `body` throws.
    public static func within<Value: Sendable>(
        _ duration: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: duration)
                return nil
            }
            guard let first = try await group.next(), let value = first else {
                if Task.isCancelled { throw CryptorError.cancelled }
                throw CryptorError.timedOut
            }
            return value
        }
    }
}
