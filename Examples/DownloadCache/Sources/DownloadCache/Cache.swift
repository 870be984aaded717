import CryptorFormat
import Foundation

/// A folder of messages, one for each address. Somebody who reads the disk learns the addresses, from the names of the
/// files, and how long each download is.
struct Cache {
    let folder: URL
    let credential: Credential

    struct Entry {
        let plaintext: Data
        /// The number of bytes that the server sent for it; zero if it came from the disk.
        let receivedByteCount: Int
    }

    /// The contents of `url`: from the disk if there is an authentic message, otherwise from the server.
    func contents(of url: URL) async throws -> Entry {
        let file = place(of: url)
        if let plaintext = try read(file) { return Entry(plaintext: plaintext, receivedByteCount: 0) }
        let receivedByteCount = try await download(url, to: file)
        guard let plaintext = try read(file) else { throw CocoaError(.fileReadNoSuchFile) }
        return Entry(plaintext: plaintext, receivedByteCount: receivedByteCount)
    }

    /// Where the message for `url` is.
    func place(of url: URL) -> URL {
        // File names are not secret here. Where they are, use a keyed hash of the address.
        let name = url.absoluteString.utf8.map { String($0, radix: 16) }.joined()
        return folder.appendingPathComponent(name + ".rnc")
    }

    /// The plaintext, of which no byte is released before the HMAC of the complete message has matched; nil if the file
    /// is missing or is not what was written.
    private func read(_ file: URL) throws -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try Cryptor.decrypt(Data(contentsOf: file), with: credential)
        } catch let error as CryptorError {
            print("  \(file.lastPathComponent.suffix(12)): \(error)")
            try FileManager.default.removeItem(at: file)
            return nil
        }
    }

    private func download(_ url: URL, to file: URL) async throws -> Int {
        let unfinished = file.appendingPathExtension(UUID().uuidString)
        guard FileManager.default.createFile(atPath: unfinished.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        do {
            let handle = try FileHandle(forWritingTo: unfinished)
            let byteCount = try await EncryptedDownload.run(url, into: handle, with: credential)
            try handle.close()
            try FileManager.default.moveItem(at: unfinished, to: file)
            return byteCount
        } catch {
            try? FileManager.default.removeItem(at: unfinished)
            throw error
        }
    }
}
