import CryptorPrimitives
import Synchronization

// Files. The work on a file takes one thread of the pool, and stops soon after its task was cancelled.
extension CryptorPool {
    /// Called on a thread of the pool while a file is worked on; may throw to cancel.
    public typealias ProgressHandler = @Sendable (FileProgress) throws -> Void

    /// Encrypts a file: see ``Cryptor/encryptFile(at:to:with:options:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to; another file than the source.
    ///   - credential: a password or keys.
    ///   - options: whether to overwrite, to remove the source, and more.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Throws: what that function throws; `cancelled`, with nothing left behind, also when the task was cancelled.
    public func encryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        options: FileOptions = FileOptions(), progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        try await work(from: source, to: destination, progress) { (progress) throws(CryptorError) in
            try Cryptor.encryptFile(at: source, to: destination, with: credential, options: options, progress: progress)
        }
    }

    /// Decrypts a message file: see ``Cryptor/decryptFile(at:to:with:accepting:options:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to; another file than the source.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - options: whether to overwrite, to remove the source, and more.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Throws: what that function throws; `cancelled`, with nothing left behind, also when the task was cancelled.
    public func decryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(), progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        try await work(from: source, to: destination, progress) { (progress) throws(CryptorError) in
            try Cryptor.decryptFile(
                at: source, to: destination, with: credential, accepting: accepting, options: options,
                progress: progress)
        }
    }

    /// Verifies a message file: see ``Cryptor/verifyFile(at:with:accepting:options:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - options: whether a message in base64 text is decoded.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Returns: the length of the plaintext in bytes.
    /// - Throws: what that function throws; `cancelled` also when the task was cancelled.
    @discardableResult
    public func verifyFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: ProgressHandler? = nil
    ) async throws(CryptorError) -> Int {
        let source = try source.endpoint
        return try await work(from: source, progress) { (progress) throws(CryptorError) in
            try Cryptor.verifyFile(
                at: source, with: credential, accepting: accepting, options: options, progress: progress)
        }
    }

    /// Gives a message file another credential: see
    /// ``Cryptor/rekeyFile(at:to:from:into:accepting:options:progress:)``.
    /// - Parameters:
    ///   - source: the message file to read.
    ///   - destination: the file to create, or the stream to write to. It may be the source, which is then replaced.
    ///   - old: the credential that opens the message now.
    ///   - new: the credential that will open it.
    ///   - accepting: the versions to read, and how.
    ///   - options: whether another file at the destination may be replaced, and whether base64 text is decoded.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Throws: what that function throws; `cancelled`, with nothing left behind, also when the task was cancelled.
    public func rekeyFile(
        at source: some FileLocation, to destination: some FileLocation, from old: Credential, into new: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(), progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        try await work(from: source, to: destination, progress) { (progress) throws(CryptorError) in
            try Cryptor.rekeyFile(
                at: source, to: destination, from: old, into: new, accepting: accepting, options: options,
                progress: progress)
        }
    }

    /// Reads the header of a message file: see ``Cryptor/inspectFile(at:options:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - options: whether a message in base64 text is decoded.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Throws: what that function throws; `cancelled` also when the task was cancelled.
    public func inspectFile(
        at source: some FileLocation, options: FileOptions = FileOptions(), progress: ProgressHandler? = nil
    ) async throws(CryptorError) -> MessageInspection {
        let source = try source.endpoint
        return try await work(from: source, progress) { (progress) throws(CryptorError) in
            try Cryptor.inspectFile(at: source, options: options, progress: progress)
        }
    }

    /// Opens and verifies a message file: see ``VerifiedFile/init(at:with:accepting:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Returns: the file. While it is open, it takes no thread of the pool.
    /// - Throws: what that initializer throws; `cancelled` also when the task was cancelled.
    public func verifiedFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        progress: ProgressHandler? = nil
    ) async throws(CryptorError) -> VerifiedFile {
        let source = try source.endpoint
        return try await work(from: source, progress) { (progress) throws(CryptorError) in
            try VerifiedFile(at: source, with: credential, accepting: accepting, progress: progress)
        }
    }

    /// Does work on files on a thread of the pool.
    private func work<Value: Sendable>(
        from source: FileEndpoint, to destination: FileEndpoint? = nil, _ progress: ProgressHandler?,
        _ body: @escaping @Sendable (@escaping FileProgress.Handler) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        let isQuick = source.isQuickSource && destination?.isQuickDestination != false
        let cancellation = Cancellation()
        let result: Result<Value, CryptorError> = await withTaskCancellationHandler {
            do throws(CryptorError) {
                let value = try await gate.withPlace { () throws(CryptorError) in
                    try await runOnThread(in: isQuick ? .usual : .last) { () throws(CryptorError) in
                        try body { state in
                            if cancellation.isRequested { throw CryptorError.cancelled }
                            try progress?(state)
                        }
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

/// Tells threads that do not run a task whether the task was cancelled.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Makes system calls that wait throw `cancelled` once the task was cancelled.
    var reporter: ProgressReporter {
        ProgressReporter({ [self] _ in if isRequested { throw CryptorError.cancelled } }, totalBytes: nil)
    }

    func request() { flag.store(true, ordering: .relaxed) }
}
