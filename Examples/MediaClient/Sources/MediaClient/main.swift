import CryptorAsync
import Foundation

struct Failure: Error {
    let check: String
}

func check(_ name: String, _ isRight: Bool) throws {
    guard isRight else { throw Failure(check: name) }
    print("ok      \(name)")
}

/// The error of a body that has to fail.
func error(of body: () async throws -> Void) async -> (any Error)? {
    do {
        try await body()
        return nil
    } catch {
        return error
    }
}

/// Whether a file in a directory contains some of an image.
func hasPlaintext(of image: Data, in directory: URL) throws -> Bool {
    let parts = stride(from: 0, to: image.count - 16, by: 10_000).map { image[$0..<$0 + 16] }
    return try names(in: directory).contains { name in
        let bytes = try Data(contentsOf: directory.appending(path: name))
        return parts.contains { bytes.range(of: $0) != nil }
    }
}

func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
}

func run(in directory: URL) async throws {
    let imageFiles = directory.appending(path: "images")
    let sharedFiles = directory.appending(path: "shared")
    let imageServer = try Server(in: imageFiles, arguments: ["--images"])
    defer { imageServer.stop() }
    let sharingServer = try Server(in: sharedFiles)
    defer { sharingServer.stop() }

    // Both clients have this file beforehand, and other keys for their own caches.
    let keyFile = directory.appending(path: "both.key")
    try MessageKeys.random().writeKeyFile(to: keyFile)
    let bothKeys = Credential.keys(try MessageKeys(keyFile: keyFile))
    let senderFiles = directory.appending(path: "sender")
    let receiverFiles = directory.appending(path: "receiver")
    let sender = try ImageCache(at: senderFiles, keys: .random())
    let receiver = try ImageCache(at: receiverFiles, keys: .random())

    let original = try Data(contentsOf: imageFiles.appending(path: "sea.png"))
    try await sender.download("sea.png", from: imageServer.url)
    let image = try await sender.open("sea.png")
    try check("the cache has the image", try await image.data() == original)
    try check("a part is read alone", try await image.data(16..<24) == original[16..<24])

    let breakOff = await error { try await sender.download("broken.png", from: imageServer.url) }
    try check("a download that breaks off is refused", breakOff is URLError)
    try check("it leaves nothing behind", try names(in: senderFiles) == ["sea.png"])

    try await sender.share("sea.png", over: sharingServer.url, under: bothKeys)
    try check("the search finds plaintext", try hasPlaintext(of: original, in: imageFiles))
    try check("the cache has none on the disk", try !hasPlaintext(of: original, in: senderFiles))
    try check("the server has none", try !hasPlaintext(of: original, in: sharedFiles))

    let stored = sharedFiles.appending(path: "sea.png")
    let message = try Data(contentsOf: stored)
    var altered = message
    altered[altered.count / 2] ^= 1
    try altered.write(to: stored)
    let refusal = await error {
        try await receiver.receive("sea.png", over: sharingServer.url, under: bothKeys)
    }
    try check(
        "an altered message is refused", (refusal as? CryptorError)?.code == .authenticationFailed)
    try check("it leaves nothing behind", try names(in: receiverFiles).isEmpty)

    try message.write(to: stored)
    try await receiver.receive("sea.png", over: sharingServer.url, under: bothKeys)
    let received = try await receiver.open("sea.png")
    try check("the receiver has the image", try await received.data() == original)
    try check("it has none on the disk", try !hasPlaintext(of: original, in: receiverFiles))
}

let directory = FileManager.default.temporaryDirectory.appending(path: "MediaClient-\(UUID())")
let result = await Task { try await run(in: directory) }.result
try? FileManager.default.removeItem(at: directory)
if case .failure(let error) = result {
    print("FAILED  \(error)")
    exit(1)
}
