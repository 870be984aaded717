import CryptorPrimitives
import Synchronization

// Files. Each takes one thread of the pool for as long as it lasts, and stops soon after its task was cancelled.
extension CryptorPool {
    /// Called on a thread of the pool while a file is worked on; may throw to cancel.
    public typealias ProgressHandler = @Sendable (FileProgress) throws -> Void

    /// Encrypts a file: see
    /// ``Cryptor/encryptFile(at:to:with:overwriting:concurrency:progress:)-(String,_,_,_,_,_)``.
    /// - Throws: what that throws; `cancelled`, with nothing left behind, also when the task was cancelled.
    public func encryptFile(
        at source: String, to destination: String, with credential: Credential, overwriting: Bool = false,
        concurrency: Concurrency = .automatic, progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        try await runFile(progress) { (progress) throws(CryptorError) in
            try Cryptor.encryptFile(
                at: source, to: destination, with: credential, overwriting: overwriting, concurrency: concurrency,
                progress: progress)
        }
    }

    /// Decrypts a message file: see
    /// ``Cryptor/decryptFile(at:to:with:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_)``.
    /// - Throws: what that throws; `cancelled`, with nothing left behind, also when the task was cancelled.
    public func decryptFile(
        at source: String, to destination: String, with credential: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        try await runFile(progress) { (progress) throws(CryptorError) in
            try Cryptor.decryptFile(
                at: source, to: destination, with: credential, accepting: accepting, overwriting: overwriting,
                concurrency: concurrency, progress: progress)
        }
    }

    /// Verifies a message file: see
    /// ``Cryptor/verifyFile(at:with:accepting:concurrency:progress:)-(String,_,_,_,_)``.
    /// - Returns: the length of the plaintext in bytes.
    /// - Throws: what that throws; `cancelled` also when the task was cancelled.
    @discardableResult
    public func verifyFile(
        at source: String, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        concurrency: Concurrency = .automatic, progress: ProgressHandler? = nil
    ) async throws(CryptorError) -> Int {
        try await runFile(progress) { (progress) throws(CryptorError) in
            try Cryptor.verifyFile(
                at: source, with: credential, accepting: accepting, concurrency: concurrency, progress: progress)
        }
    }

    /// Gives a message file another credential: see
    /// ``Cryptor/rekeyFile(at:to:from:into:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_,_)``.
    /// - Throws: what that throws; `cancelled`, with nothing left behind, also when the task was cancelled.
    public func rekeyFile(
        at source: String, to destination: String, from old: Credential, into new: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        try await runFile(progress) { (progress) throws(CryptorError) in
            try Cryptor.rekeyFile(
                at: source, to: destination, from: old, into: new, accepting: accepting, overwriting: overwriting,
                concurrency: concurrency, progress: progress)
        }
    }

    private func runFile<Value: Sendable>(
        _ progress: ProgressHandler?,
        _ body: @escaping @Sendable (@escaping FileProgress.Handler) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        let cancellation = Cancellation()
        let result: Result<Value, CryptorError> = await withTaskCancellationHandler {
            do throws(CryptorError) {
                let value = try await run { () throws(CryptorError) in
                    try body { state in
                        if cancellation.isRequested { throw CryptorError.cancelled }
                        try progress?(state)
                    }
                }
                return .success(value)
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancellation.request()
        }
        return try result.get()
    }
}

/// Whether a task was cancelled, for threads that are not the task's.
private final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isRequested: Bool { flag.load(ordering: .relaxed) }

    func request() { flag.store(true, ordering: .relaxed) }
}
