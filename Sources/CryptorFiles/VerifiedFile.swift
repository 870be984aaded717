import CryptorSystem
public import CryptorFormat
import CryptorPrimitives
import Synchronization

/// A message file that is verified once, after which any part of its plaintext can be read, for
/// example to play media or to answer HTTP range requests.
///
/// ```swift
/// let film = try VerifiedFile(at: "film.rnc", with: .password("correct horse"))
/// let part = try film.read(1_000_000..<1_065_536)
/// ```
/// Opening reads the complete file and compares the HMAC. Meanwhile, it records a keyed digest of
/// each segment of 64 KiB: 16 bytes of memory for each, 256 KiB for a file of 1 GiB, 256 MiB for
/// one of 1 TiB. Reading fetches the segments that the range touches, compares their digests, and
/// decrypts no more than was asked for. So only verified plaintext is released, and a file changed
/// in place in the meantime is detected.
///
/// Any number of threads may read at the same time; none waits for another. The file stays open
/// until the last reference is gone, so another file that takes its name makes no difference. A
/// source that can be read only once, such as a pipe, is copied, as ciphertext, to an unnamed
/// private file in `$TMPDIR`.
public final class VerifiedFile: Sendable {
    private let contents: VerifiedContents
    private let wasChanged = Atomic<Bool>(false)

    init(_ contents: consuming VerifiedContents) { self.contents = contents }

    /// Opens a message file and verifies it from start to end. A descriptor is duplicated: the
    /// caller may close its own.
    ///
    /// For the parameters and the errors see
    /// ``CryptorFormat/Cryptor/decryptFile(at:to:with:accepting:options:progress:)``; of the
    /// options, only `base64` and `spoolByteLimit` apply.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use verifiedFile of CryptorPool.shared."
    )
    public init(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) {
        contents = try Cryptor.withMessage(
            at: source, with: credential, accepting: accepting, options, progress: progress
        ) { (file) throws(CryptorError) in try file.firstPass(forRandomAccess: true) }
    }

    /// The header of the message. Its IV is fresh for each message, so it can serve as the entity
    /// tag of an HTTP response.
    public var header: MessageHeader { contents.header }

    /// The length of the plaintext in bytes.
    public var plaintextByteCount: Int { contents.message.plaintextByteCount }

    /// Reads a part of the plaintext.
    /// - Parameter range: offsets into the plaintext in bytes. It must begin within the plaintext
    ///   or at its end; bytes beyond the end are left out.
    /// - Returns: the authentic bytes; fewer than asked for only at the end of the plaintext.
    /// - Throws: `invalidRange`; `authenticationFailed` if a segment has changed or the file has
    ///   become shorter, in this call or an earlier one: a file that was changed stays refused;
    ///   `inputOutput`, after which the same call may succeed; `cryptoLibraryFailure`.
    @available(*, noasync, message: "It blocks the thread. In a task, use chunks(of:).")
    public func read(_ range: Range<Int>) throws(CryptorError) -> [UInt8] {
        guard 0...plaintextByteCount ~= range.lowerBound else {
            throw CryptorError(
                .invalidRange,
                """
                The range begins at byte \(range.lowerBound), counted from 0, but the plaintext \
                has \(plaintextByteCount.counted("byte")). Use a range that begins within it.
                """
            ).naming(contents.name)
        }
        let present = range.clamped(to: 0..<plaintextByteCount)
        return try Array(byteCapacity: present.count) { (output) throws(CryptorError) in
            try append(present, to: &output)
        }
    }

    private func append(_ range: Range<Int>, to output: inout OutputRawSpan) throws(CryptorError) {
        do throws(CryptorError) {
            guard !wasChanged.load(ordering: .relaxed) else { throw contents.changed }
            try contents.append(range, to: &output)
        } catch {
            if error.code == .authenticationFailed { wasChanged.store(true, ordering: .relaxed) }
            throw error.naming(contents.name)
        }
    }

    /// Passes on all of the plaintext, chunk by chunk. A worker reads and decrypts while this
    /// thread passes it on.
    func readAll(_ progress: ProgressReporter, _ receive: ([UInt8]) throws(CryptorError) -> Void)
        throws(CryptorError)
    {
        struct Part: Sendable {
            var range = 0..<0
            var plaintext: [UInt8] = []
        }
        var pipeline = Pipeline(depth: 4) { [self] (part: inout Part) throws(CryptorError) in
            let range = part.range
            part.plaintext.removeAll(keepingCapacity: true)
            try part.plaintext.appendBytes(capacity: range.count) { (output) throws(CryptorError) in
                try append(range, to: &output)
            }
        }
        func pass(_ part: Part) throws(CryptorError) {
            try progress.advance(by: part.range.count)
            try receive(part.plaintext)
        }
        var work = LargeWork()
        var part = Part()
        let size = contents.digests.segmentByteCount
        for start in stride(from: 0, to: plaintextByteCount, by: size) {
            part.range = start..<min(start + size, plaintextByteCount)
            // The caller allocates the memory, not the worker, because a thread does not reuse what
            // others have freed.
            part.plaintext.reserveCapacity(part.range.count)
            let cores = work.reserveCores(forNext: part.range.count)
            let done = try pipeline.pass(part, besideCaller: cores.includeSecond)
            if let done { try pass(done) }
            part = done ?? Part()
        }
        while let done = try pipeline.next() { try pass(done) }
        try progress.complete()
    }
}
