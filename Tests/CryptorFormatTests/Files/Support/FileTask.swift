import CCryptorProbe
import CryptorTestSupport
import Testing

@testable import CryptorFiles

typealias ProgressHandler = (FileProgress) throws -> Void

/// The work that makes a file from another file.
enum FileTask: CaseIterable, Sendable {
    case encrypt, decrypt, rekey

    /// - Parameter keys: the credential and, for rekeying, the new one.
    func run(
        _ source: some FileLocation, _ destination: some FileLocation, _ keys: [Credential],
        options: FileOptions = FileOptions(), progress: ProgressHandler? = nil
    ) throws {
        switch self {
        case .encrypt:
            try Cryptor.encryptFile(
                at: source, to: destination, with: keys[0], options: options, progress: progress)
        case .decrypt:
            try Cryptor.decryptFile(
                at: source, to: destination, with: keys[0], options: options, progress: progress)
        case .rekey:
            try Cryptor.rekeyFile(
                at: source, to: destination, from: keys[0], into: keys[1], options: options,
                progress: progress)
        }
    }
}

/// The two ways in which a file is written before it is complete.
enum Naming: CaseIterable, Sendable {
    /// Without a name, where the system has such files.
    case anonymous
    /// Under a temporary name, as where the file system has no files without names.
    case named

    /// - Parameter body: does its work on this thread.
    func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        probe_refuse_nameless(self == .named)
        defer { probe_refuse_nameless(false) }
        return try body()
    }
}

/// A way to make a file: what is done, and whether the file has a name before it is complete.
struct Way: Sendable, CustomTestStringConvertible {
    let task: FileTask
    let naming: Naming

    static let all = FileTask.allCases.flatMap { task in
        Naming.allCases.map { Way(task: task, naming: $0) }
    }
    /// The ways to put an output beside its source.
    static let beside = all.filter { $0.task != .rekey }

    var testDescription: String { "\(task), \(naming)" }
}

/// Everything that takes the location of a file.
enum Role: CaseIterable, Sendable {
    case encryptFrom, encryptTo, decryptFrom, decryptTo, chunksFrom, verify, rekeyFrom, rekeyTo,
        open, inspect

    var isSource: Bool { ![.encryptTo, .decryptTo, .rekeyTo].contains(self) }

    static let sources = allCases.filter(\.isSource)

    /// - Parameter job: what the other location and the credentials are taken from.
    func run(
        _ job: FileJob, _ path: some FileLocation, overwriting: Bool = true,
        progress: ProgressHandler? = nil
    ) throws {
        let (source, destination, keys) = (job.source, job.destination, job.keys)
        let options = FileOptions(overwriting: overwriting)
        switch self {
        case .encryptFrom: try FileTask.encrypt.run(path, destination, keys, progress: progress)
        case .encryptTo:
            try FileTask.encrypt.run(source, path, keys, options: options, progress: progress)
        case .decryptFrom: try FileTask.decrypt.run(path, destination, keys, progress: progress)
        case .decryptTo:
            try FileTask.decrypt.run(source, path, keys, options: options, progress: progress)
        case .rekeyFrom: try FileTask.rekey.run(path, destination, keys, progress: progress)
        case .rekeyTo:
            try FileTask.rekey.run(source, path, keys, options: options, progress: progress)
        case .chunksFrom:
            try Cryptor.decryptFile(at: path, with: keys[0], progress: progress) { _ in }
        case .verify: try Cryptor.verifyFile(at: path, with: keys[0], progress: progress)
        case .open: _ = try VerifiedFile(at: path, with: keys[0], progress: progress)
        case .inspect: _ = try Cryptor.inspectFile(at: path, progress: progress)
        }
    }
}

/// A task with a directory and a source of its own.
struct FileJob {
    let task: FileTask
    let naming: Naming
    let directory: TemporaryDirectory
    let plaintext: [UInt8]
    /// The contents of the source: the plaintext, or a message of it.
    let sourceBytes: [UInt8]
    /// The credential of the message; when it is rekeyed, of the old one.
    let credential: Credential
    /// The credential of a message after it was rekeyed.
    let newCredential: Credential

    init(_ way: Way, byteCount: Int = 1000) throws {
        self.task = way.task
        self.naming = way.naming
        self.directory = try TemporaryDirectory()
        self.plaintext = LongBytes.bytes(byteCount)
        self.credential = try Self.keys(1)
        self.newCredential = try Self.keys(3)
        self.sourceBytes =
            task == .encrypt ? plaintext : try Cryptor.encrypt(plaintext, with: credential)
        try directory.write(sourceBytes, to: "source")
    }

    init(_ task: FileTask, byteCount: Int = 1000) throws {
        try self.init(Way(task: task, naming: .anonymous), byteCount: byteCount)
    }

    /// A pair of keys for every number.
    static func keys(_ number: UInt8) throws -> Credential {
        .keys(
            try MessageKeys(
                encryptionKey: [UInt8](repeating: number, count: 32),
                hmacKey: [UInt8](repeating: number + 1, count: 32)))
    }

    var source: FileEndpoint { path("source") }
    var destination: FileEndpoint { path("destination") }
    var keys: [Credential] { [credential, newCredential] }

    func path(_ name: String) -> FileEndpoint { directory.path(name).endpoint }

    /// - Parameters:
    ///   - source: nil for the job's own.
    ///   - destination: nil for the job's own.
    ///   - credential: nil for the right one.
    func run(
        from source: FileEndpoint? = nil, to destination: FileEndpoint? = nil,
        with credential: Credential? = nil,
        overwriting: Bool = false, removingSource: Bool = false, takingAttributes: Bool = false,
        progress: ProgressHandler? = nil
    ) throws {
        let options = FileOptions(
            overwriting: overwriting, takingAttributes: takingAttributes,
            removingSource: removingSource)
        try naming.use {
            try task.run(
                source ?? self.source, destination ?? self.destination,
                [credential ?? self.credential, newCredential],
                options: options, progress: progress)
        }
    }

    /// What is wrong with `bytes`, the output of the task; nil if nothing is.
    func flaw(in bytes: [UInt8]) throws -> String? {
        let found =
            switch task {
            case .encrypt: try Cryptor.decrypt(bytes, with: credential)
            case .decrypt: bytes
            case .rekey: try Cryptor.decrypt(bytes, with: newCredential)
            }
        return firstDifference(found, plaintext)
    }

    /// What is wrong with the destination; nil if nothing is.
    func destinationFlaw() throws -> String? { try flaw(in: try directory.read("destination")) }

    /// Whether the source is unchanged.
    func isSourceUntouched() throws -> Bool { sameBytes(try directory.read("source"), sourceBytes) }
}

/// A progress handler that does something in the first call after so many bytes.
func once(after byteCount: Int = 0, _ change: @escaping () throws -> Void) -> ProgressHandler {
    var isDone = false
    return { progress in
        guard !isDone, progress.bytesDone >= byteCount else { return }
        isDone = true
        try change()
    }
}

extension PipeWriter {
    /// The end of the pipe to read from.
    var source: FileEndpoint { get throws { .descriptor(try #require(readEnd)) } }
}

/// What `work` writes into a pipe, and its error.
func throughPipe(_ work: (FileEndpoint) throws -> Void) throws -> (
    released: [UInt8], error: CryptorError?
) {
    let reader = try PipeReader()
    let error = try caughtError { try work(.descriptor(try #require(reader.writeEnd))) }
    return (try reader.finish(), error)
}
