import CryptorSystem
public import CryptorFormat
import CryptorPrimitives
import Synchronization

/// A message file that is verified once, after which any part of its plaintext can be read: to play media, or to answer
/// HTTP range requests.
///
/// ```swift
/// let film = try VerifiedFile(at: "film.rnc", with: .password("correct horse battery staple"))
/// let part = try film.read(1_000_000..<1_065_536)
/// ```
/// Opening reads the complete file and compares the HMAC. Meanwhile, it notes a keyed digest of each segment of 64 KiB:
/// 16 bytes of memory for each, 256 KiB for a file of 1 GiB, 256 MiB for one of 1 TiB. Reading fetches the segments
/// that the range touches, compares their digests, and decrypts no more than was asked for. So only verified plaintext
/// is released, and a file that was changed in place in the meantime is noticed.
///
/// Any number of threads may read at the same time; none waits for another. The file stays open until the last
/// reference is gone, so another file that takes its name makes no difference. A source that can be read only once,
/// such as a pipe, is copied, as ciphertext, to an unnamed private file in `$TMPDIR`.
public final class VerifiedFile: Sendable {
    private let segmented: SegmentedMessage
    private let file: RandomAccessFile
    private let wasChanged = Atomic<Bool>(false)

    /// Opens a message file and verifies it from start to end.
    /// - Parameters:
    ///   - source: the file or stream to read. A descriptor is duplicated: the caller may close his own.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - options: how much of a source that can be read only once is copied.
    ///   - progress: called now and then on this thread while the file is opened; may throw to cancel.
    /// - Throws: everything that ``Cryptor/decrypt(_:with:accepting:)->[UInt8]`` throws, including
    ///   `looksBase64Encoded` for base64 text, and `inputOutput`, `invalidPath`,
    ///   `messageTooLong` or `cancelled`.
    @available(*, noasync, message: "It blocks the thread. In a task, use verifiedFile of CryptorPool.shared.")
    public init(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let source = try source.endpoint
        let options = FileOptions(spoolByteLimit: options.spoolByteLimit)
        do throws(CryptorError) {
            var file = try MessageFile.open(
                source, under: ReadingTerms(credential: credential, accepting: accepting), options: options,
                movingPosition: false,
                progress: progress)
            segmented = try file.firstPass(try file.readStart(), segmentByteCount: SegmentByteCount.forRandomAccess)
            try file.progress.complete()
            self.file = try file.input.file.randomAccess()
        } catch {
            throw error.naming(source.name)
        }
    }

    private var message: VerifiedMessage { segmented.message }

    /// The header of the message, as it was when the file was opened.
    package var header: Header { message.header }

    /// The length of the plaintext in bytes.
    public var plaintextByteCount: Int { message.plaintextByteCount }

    // MARK: Reading

    /// Reads a part of the plaintext.
    /// - Parameter range: offsets into the plaintext in bytes. It has to begin within the plaintext or at its end; what
    ///   lies beyond the end is left out.
    /// - Returns: the authentic bytes; fewer than asked for only at the end of the plaintext.
    /// - Throws: `invalidRange`; `authenticationFailed` if a segment is not what was verified or the file has become
    ///   shorter, in this call or an earlier one: a file that was changed stays refused; `inputOutput`, after which the
    ///   same call may succeed; `cryptoLibraryFailure`.
    @available(*, noasync, message: "It blocks the thread. In a task, use chunks(of:).")
    public func read(_ range: Range<Int>) throws(CryptorError) -> [UInt8] {
        let range = try present(range)
        return try Array(byteCapacity: range.count) { (output) throws(CryptorError) in
            try append(range, to: &output)
        }
    }

    /// Reads a part of the plaintext and appends it to `output`: see ``read(_:)``.
    /// - Throws: `outputTooSmall`, with nothing appended, if there is no room for the part of the range that lies
    ///   within the plaintext; what ``read(_:)`` throws, after which the bytes that were appended are authentic.
    @available(*, noasync, message: "It blocks the thread. In a task, use chunks(of:).")
    public func read(_ range: Range<Int>, into output: inout OutputRawSpan) throws(CryptorError) {
        let range = try present(range)
        try output.requireRoom(for: range.count)
        try append(range, to: &output)
    }

    /// The part of a range that lies within the plaintext.
    func present(_ range: Range<Int>) throws(CryptorError) -> Range<Int> {
        guard 0...plaintextByteCount ~= range.lowerBound else {
            throw CryptorError(
                .invalidRange,
                "The range begins at \(range.lowerBound), and the plaintext has \(plaintextByteCount) bytes, counted from 0. "
                    + "Ask for a range that begins within it."
            ).naming(file.name)
        }
        return range.clamped(to: 0..<plaintextByteCount)
    }

    private var changed: CryptorError {
        FileAttempt(.readingInput, file.name).failure(
            "It was changed after it had been opened and verified. What was read before that is authentic; open it anew to "
                + "read more.", code: .authenticationFailed)
    }

    private func append(_ range: Range<Int>, to output: inout OutputRawSpan) throws(CryptorError) {
        guard !wasChanged.load(ordering: .relaxed) else { throw changed }
        let deciphered = range.clamped(to: 0..<message.ciphertextByteCount)
        if !deciphered.isEmpty {
            var reader = try SegmentReader(segmented)
            var ciphertext: [UInt8] = []
            for index in segmented.segments(of: deciphered) {
                try readCiphertext(segmented.range(ofSegment: index), into: &ciphertext)
                let isUnchanged = try withRawSpan(of: ciphertext) { (ciphertext) throws(CryptorError) in
                    try reader.append(deciphered, ofSegment: index, ciphertext, to: &output)
                }
                guard isUnchanged else {
                    wasChanged.store(true, ordering: .relaxed)
                    throw changed
                }
            }
        }
        // The last block was decrypted when its padding was checked.
        let rest = range.clamped(to: message.ciphertextByteCount..<plaintextByteCount)
        message.lastPlaintext.withRawSpan { last in
            let start = rest.lowerBound - message.ciphertextByteCount
            last.extracting(start..<start + rest.count).append(to: &output)
        }
    }

    /// Replaces the contents of `ciphertext` with this range and the 16 bytes before it: the last block before the range,
    /// or the IV, which ends the header.
    private func readCiphertext(_ range: Range<Int>, into ciphertext: inout [UInt8]) throws(CryptorError) {
        ciphertext.removeAll(keepingCapacity: true)
        try file.append(
            FormatSize.block + range.count, at: message.header.byteCount - FormatSize.block + range.lowerBound,
            to: &ciphertext)
    }
}
