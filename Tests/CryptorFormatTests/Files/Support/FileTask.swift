import CryptorTestSupport

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The work that makes a file from another file.
enum FileTask: CaseIterable, Sendable {
    case encrypt
    case decrypt
    case rekey
}

/// A task with a folder and a source of its own.
struct FileJob {
    let task: FileTask
    let folder: TemporaryFolder
    let plaintext: [UInt8]
    /// The contents of the source: the plaintext, or a message of it.
    let sourceBytes: [UInt8]
    /// The credential of the message; when it is rekeyed, of the old one.
    let credential: Credential
    /// The credential of a message after it was rekeyed.
    let newCredential: Credential

    static let sourceName = "source"
    static let destinationName = "destination"

    init(_ task: FileTask, byteCount: Int = 1000, naming: Naming = .anonymous) throws {
        self.task = task
        self.folder = try TemporaryFolder()
        self.plaintext = LongBytes.bytes(byteCount)
        self.credential = try Self.keys(1)
        self.newCredential = try Self.keys(3)
        self.sourceBytes = task == .encrypt ? plaintext : try Cryptor.encrypt(plaintext, with: credential)
        try folder.write(sourceBytes, to: Self.sourceName)
    }

    /// A pair of keys for every number.
    static func keys(_ number: UInt8) throws -> Credential {
        .keys(
            try KeyPair(
                encryptionKey: [UInt8](repeating: number, count: 32),
                hmacKey: [UInt8](repeating: number + 1, count: 32)))
    }

    var source: FileEndpoint { .path(folder.path(Self.sourceName)) }
    var destination: FileEndpoint { .path(folder.path(Self.destinationName)) }

    /// - Parameters:
    ///   - source: nil for the job's own.
    ///   - destination: nil for the job's own.
    ///   - credential: nil for the right one.
    func run(
        from source: FileEndpoint? = nil, to destination: FileEndpoint? = nil, with credential: Credential? = nil,
        overwriting: Bool = false, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let source = source ?? self.source
        let destination = destination ?? self.destination
        let credential = credential ?? self.credential
        switch task {
        case .encrypt:
            try Cryptor.encryptFile(
                at: source, to: destination, with: credential, options: FileOptions(overwriting: overwriting),
                progress: progress)
        case .decrypt:
            try Cryptor.decryptFile(
                at: source, to: destination, with: credential, options: FileOptions(overwriting: overwriting),
                progress: progress)
        case .rekey:
            try Cryptor.rekeyFile(
                at: source, to: destination, from: credential, into: newCredential,
                options: FileOptions(overwriting: overwriting), progress: progress)
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
    func destinationFlaw() throws -> String? { try flaw(in: try folder.read(Self.destinationName)) }

    /// Whether the source is unchanged.
    func isSourceUntouched() throws -> Bool { sameBytes(try folder.read(Self.sourceName), sourceBytes) }
}
