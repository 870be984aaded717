import CryptorFiles
import Foundation

/// A process that was started without standard input, output and error, and goes on to write to
/// them.
enum LowDescriptors {
    static func run(in directory: String) throws {
        let report = dup(1)
        let pipe = Pipe()
        for number: CInt in 0...2 { close(number) }
        let noise = Array("noise".utf8)
        var taken = 0
        // Something other than a file may have these numbers: the system's libraries open
        // descriptors of their own.
        func talk() {
            for number: CInt in 0...2 {
                var status = stat()
                let isFile =
                    fstat(number, &status) == 0
                    && [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
                if write(number, noise, noise.count) >= 0 || isFile { taken += 1 }
            }
        }
        let plaintext = [UInt8](repeating: 7, count: 600_000)
        let (keys, others) = (
            Credential.keys(try MessageKeys.random()), Credential.keys(try MessageKeys.random())
        )
        func path(_ name: String) -> String { "\(directory)/\(name)" }
        let isWritten = FileManager.default.createFile(
            atPath: path("plaintext"), contents: Data(plaintext))
        try Cryptor.encryptFile(
            at: path("plaintext"), to: path("message"), with: keys, progress: { _ in talk() })
        try Cryptor.rekeyFile(
            at: path("message"), to: path("message"), from: keys, into: others,
            progress: { _ in talk() })
        try Cryptor.decryptFile(
            at: path("message"), to: path("decrypted"), with: others, progress: { _ in talk() })
        // The private copy of a message from a pipe must not get these numbers either.
        let message = try Data(contentsOf: URL(fileURLWithPath: path("message")))
        Thread.detachNewThread {
            try? pipe.fileHandleForWriting.write(contentsOf: message)
            try? pipe.fileHandleForWriting.close()
        }
        let source = FileEndpoint.descriptor(pipe.fileHandleForReading.fileDescriptor)
        let file = try VerifiedFile(at: source, with: others)
        talk()
        // Nor must directories, and none of them stays open.
        try FileManager.default.createDirectory(
            atPath: path("inner"), withIntermediateDirectories: true)
        try message.write(to: URL(fileURLWithPath: path("inner/message")))
        let inner = FileEndpoint.path("inner/message", below: try Directory(at: directory))
        try Cryptor.verifyFile(at: inner, with: others, progress: { _ in talk() })
        talk()
        let found = [
            try file.read(0..<plaintext.count),
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: path("decrypted")))),
        ]
        let line = Array(
            "taken: \(taken), right: \(isWritten && found == [plaintext, plaintext])\n".utf8)
        guard write(report, line, line.count) == line.count else {
            throw Probe.Failure(description: "no report")
        }
    }
}
