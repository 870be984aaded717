// Runs a server on the loopback interface and a cache that holds only ciphertext, and shows what both of them did.
import CryptorFormat
import Foundation

struct Failed: Error, CustomStringConvertible {
    let description: String
}

func require(_ isTrue: Bool, _ problem: String) throws {
    if !isTrue { throw Failed(description: problem) }
}

/// Runs on the main thread: the process of the server would not receive signals if a thread of Swift's pool started it.
@MainActor func showCache() async throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("DownloadCache-\(UUID().uuidString)")
    let served = place.appendingPathComponent("served")
    let kept = place.appendingPathComponent("kept")
    for folder in [served, kept] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(at: place) }

    let sentence = Data("What a server sends in the clear is kept in a message. ".utf8)
    let original = Data((0..<100_000).lazy.map { _ in sentence }.joined())
    try original.write(to: served.appendingPathComponent("report.txt"))

    let server = try LocalServer(serving: served)
    defer { server.stop() }
    let report = server.address.appendingPathComponent("report.txt")
    // A real program takes its keys from where its other secrets are: `KeyPair(encryptionKey:hmacKey:)`.
    let cache = Cache(folder: kept, credential: .keys(try KeyPair.random()))
    let file = cache.place(of: report)

    let first = try await cache.contents(of: report)
    try require(first.plaintext == original, "the first result is not what was served")
    let message = try Data(contentsOf: file)
    try require(message.range(of: sentence) == nil, "there is plaintext on the disk")
    try require(FileManager.default.contentsOfDirectory(atPath: kept.path).count == 1, "something else is on the disk")
    print(
        "first:  \(first.receivedByteCount) bytes over the wire, \(message.count) bytes on the disk, all of them ciphertext"
    )

    let second = try await cache.contents(of: report)
    try require(
        second.plaintext == original && second.receivedByteCount == 0, "the second result did not come from the disk")
    print("second: \(second.receivedByteCount) bytes over the wire, verified and decrypted from the disk")

    var altered = message
    altered[altered.count / 2] ^= 1
    try altered.write(to: file)
    print("one bit of the file is altered:")
    let third = try await cache.contents(of: report)
    try require(third.plaintext == original, "the third result is not what was served")
    try require(third.receivedByteCount == original.count, "an altered file was believed")
    print("third:  \(third.receivedByteCount) bytes over the wire: the altered message was refused")

    do {
        _ = try await cache.contents(of: server.address.appendingPathComponent("missing.txt"))
        throw Failed(description: "a file that the server does not have was found")
    } catch let error as EncryptedDownload.Failure {
        print("missing: \(error)")
    }
    try require(FileManager.default.contentsOfDirectory(atPath: kept.path).count == 1, "something was left behind")
}

do {
    try await showCache()
} catch {
    print("FAILED  \(error)")
    exit(1)
}
