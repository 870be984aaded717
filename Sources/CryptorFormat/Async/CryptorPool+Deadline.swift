extension CryptorPool {
    /// Does `body` within a time, such as a request has: when it has passed, `body` is cancelled, and what it waited for on a
    /// pool is dropped at once. Work that has begun is finished first, and waited for: files end soon, and what `body` does
    /// itself when it looks whether it was cancelled.
    ///
    /// ```swift
    /// let plaintext = try await CryptorPool.within(.seconds(1)) { try await pool.decrypt(message, with: password) }
    /// ```
    /// - Parameters:
    ///   - duration: how long it may take; zero if it is less.
    ///   - body: the work.
    /// - Returns: what `body` returns.
    /// - Throws: `timedOut`, or what `body` throws, also when the task was cancelled.
    public static func within<Value: Sendable>(
        _ duration: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                // The clock ends the process for times that it cannot count.
                let duration = min(max(.zero, duration), .seconds(1 << 32))
                // Whoever is cancelled is told so by the body.
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
