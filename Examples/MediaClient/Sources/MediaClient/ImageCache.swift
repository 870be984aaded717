import CryptorAsync
import Foundation

/// Images on the disk, each a message under the keys of this cache: plaintext is only in memory. A
/// name that a server chose cannot lead out of the directory.
struct ImageCache {
    private let directory: Directory
    private let keys: Credential

    /// - Parameter keys: of this device alone. An app keeps them where its system keeps secrets.
    init(at url: URL, keys: MessageKeys) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.directory = try Directory(at: url)
        self.keys = .keys(keys)
    }

    /// Encrypts an image while it comes. It is in the cache when all of it has come.
    func download(_ name: String, from server: URL) async throws {
        let chunks = HTTP.chunks(of: server.appending(path: name))
        try await CryptorPool.shared.encryptFile(
            from: chunks, to: .file(name, in: directory), with: keys)
    }

    /// Verifies an image, of which then any part can be read.
    func open(_ name: String) async throws -> VerifiedFile {
        try await CryptorPool.shared.verifiedFile(at: .file(name, in: directory), with: keys)
    }

    /// Uploads an image under keys that the receiver has, too.
    func share(_ name: String, over server: URL, under sharedKeys: Credential) async throws {
        let message = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: message) }
        try await CryptorPool.shared.rekeyFile(
            at: .file(name, in: directory), to: message, from: keys, into: sharedKeys)
        try await HTTP.put(message, at: server.appending(path: name))
    }

    /// Takes a shared image into this cache. Its chunks are encrypted again before the message is
    /// verified, but the file appears only afterwards.
    func receive(_ name: String, over server: URL, under sharedKeys: Credential) async throws {
        let chunks = HTTP.chunks(of: server.appending(path: name))
        try await CryptorPool.shared.encryptFile(
            from: chunks.decryptedUnverified(with: sharedKeys), to: .file(name, in: directory),
            with: keys)
    }
}

extension VerifiedFile {
    /// A part of the plaintext, or all of it.
    func data(_ range: Range<Int>? = nil) async throws -> Data {
        try await chunks(of: range).reduce(into: Data()) { data, chunk in data += chunk }
    }
}
