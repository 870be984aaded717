import CryptorPrimitives
import Synchronization

// Files. The work on a file takes one thread of the pool while it reads and writes, and stops soon after its task was
// cancelled. The keys of several files are derived together.
extension CryptorPool {
    /// Called on a thread of the pool while a file is worked on; may throw to cancel.
    public typealias ProgressHandler = @Sendable (FileProgress) throws -> Void

    /// Encrypts a file: see
    /// ``Cryptor/encryptFile(at:to:with:overwriting:takingAttributes:removingSource:asBase64:concurrency:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to; another file than the source.
    ///   - credential: a password or keys.
    ///   - overwriting: whether a file at the destination may be replaced.
    ///   - takingAttributes: whether a new file gets owner, group, permissions and times of the source.
    ///   - removingSource: whether the source is removed once the output is a file on the disk.
    ///   - asBase64: whether base64 text, in lines of 76 characters, is written instead of binary.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Throws: what that function throws; `overloaded` where the pool refuses, before anything is opened;
    ///   `cancelled`, with nothing left behind, also when the task was cancelled.
    public func encryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        overwriting: Bool = false, takingAttributes: Bool = false, removingSource: Bool = false, asBase64: Bool = false,
        concurrency: Concurrency = .automatic, progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        let terms = OutputFile.Terms(overwriting: overwriting, takingAttributes: takingAttributes, changingOwner: true)
        try await cancellable(from: source, to: destination, progress: progress) { (progress) throws(CryptorError) in
            let options = FileOptions(concurrency: concurrency, progress: progress, removesSource: removingSource)
            return try PlaintextFile(opening: source, options)
                .encrypt(to: destination, with: credential, terms, asBase64: asBase64)
        }
    }

    /// Decrypts a message file: see
    /// ``Cryptor/decryptFile(at:to:with:accepting:overwriting:takingAttributes:removingSource:acceptingBase64:concurrency:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to; another file than the source.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - overwriting: whether a file at the destination may be replaced.
    ///   - takingAttributes: whether a new file gets permissions and times of the source, and never another owner.
    ///   - removingSource: whether the source is removed once the output is a file on the disk.
    ///   - acceptingBase64: whether a message in base64 text is decoded.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Throws: what that function throws; `overloaded` where the pool refuses, before anything is opened;
    ///   `cancelled`, with nothing left behind, also when the task was cancelled.
    public func decryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        accepting: Acceptance = .default, overwriting: Bool = false, takingAttributes: Bool = false,
        removingSource: Bool = false, acceptingBase64: Bool = false, concurrency: Concurrency = .automatic,
        progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        let reading = ReadingTerms(credential: credential, accepting: accepting)
        let writing = OutputFile.Terms(overwriting: overwriting, takingAttributes: takingAttributes)
        try await cancellable(from: source, to: destination, progress: progress) { (progress) throws(CryptorError) in
            let options = FileOptions(
                concurrency: concurrency, progress: progress, removesSource: removingSource,
                acceptsBase64: acceptingBase64)
            return try MessageFile(opening: source, reading, options).decrypt(to: destination, writing)
        }
    }

    /// Verifies a message file: see ``Cryptor/verifyFile(at:with:accepting:acceptingBase64:concurrency:progress:)``.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - acceptingBase64: whether a message in base64 text is decoded.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Returns: the length of the plaintext in bytes.
    /// - Throws: what that function throws; `overloaded` where the pool refuses, before anything is opened; `cancelled`
    ///   also when the task was cancelled.
    @discardableResult
    public func verifyFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        acceptingBase64: Bool = false, concurrency: Concurrency = .automatic, progress: ProgressHandler? = nil
    ) async throws(CryptorError) -> Int {
        let source = try source.endpoint
        let terms = ReadingTerms(credential: credential, accepting: accepting)
        return try await cancellable(from: source, to: nil, progress: progress) { (progress) throws(CryptorError) in
            let options = FileOptions(
                concurrency: concurrency, progress: progress, acceptsBase64: acceptingBase64)
            return try MessageFile(opening: source, terms, options).verify()
        }
    }

    /// Gives a message file another credential: see
    /// ``Cryptor/rekeyFile(at:to:from:into:accepting:overwriting:acceptingBase64:concurrency:progress:)``.
    /// - Parameters:
    ///   - source: the message file to read.
    ///   - destination: the file to create, or the stream to write to. It may be the source, which is then replaced.
    ///   - old: the credential that opens the message now.
    ///   - new: the credential that will open it.
    ///   - accepting: the versions to read, and how.
    ///   - overwriting: whether another file at the destination may be replaced.
    ///   - acceptingBase64: whether a message in base64 text is decoded; the new one is then base64 text, too.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on a thread of the pool; may throw to cancel.
    /// - Throws: what that function throws; `overloaded` where the pool refuses, before anything is opened;
    ///   `cancelled`, with nothing left behind, also when the task was cancelled.
    public func rekeyFile(
        at source: some FileLocation, to destination: some FileLocation, from old: Credential, into new: Credential,
        accepting: Acceptance = .default, overwriting: Bool = false, acceptingBase64: Bool = false,
        concurrency: Concurrency = .automatic, progress: ProgressHandler? = nil
    ) async throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        let terms = ReadingTerms(credential: old, accepting: accepting)
        try await cancellable(from: source, to: destination, progress: progress) { (progress) throws(CryptorError) in
            let options = FileOptions(
                concurrency: concurrency, progress: progress, replacesSource: source.isReplaced(by: destination),
                acceptsBase64: acceptingBase64)
            return try MessageFile(opening: source, terms, options)
                .rekey(to: destination, into: new, overwriting: overwriting)
        }
    }

    func cancellable<Value: Sendable>(
        from source: FileEndpoint, to destination: FileEndpoint?, progress: ProgressHandler?,
        _ begin: @escaping @Sendable (@escaping FileProgress.Handler) throws(CryptorError) -> FileWork<Value>
    ) async throws(CryptorError) -> Value {
        let isQuick = source.isQuickSource && destination?.isQuickDestination != false
        let cancellation = Cancellation()
        let result: Result<Value, CryptorError> = await withTaskCancellationHandler {
            do throws(CryptorError) {
                let value = try await work(isQuick: isQuick) { () throws(CryptorError) in
                    try begin { state in
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
