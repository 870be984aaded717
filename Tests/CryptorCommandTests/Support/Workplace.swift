import Foundation
import Testing

/// A directory for one test, removed together with this object. Shell scripts run in it as a user
/// would write them: `$RNCRYPTOR` is the command.
final class Workplace {
    let directory: URL

    init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        directory = parent.appendingPathComponent("rncryptor-tests-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try write("correct horse battery staple\n", toPrivate: "password")
        try write("wrong\n", toPrivate: "wrong-password")
        try write(String(repeating: "0123456789abcdef", count: 8) + "\n", toPrivate: "key")
    }

    /// A directory that also has a plaintext, a message of it under `key`, and another key.
    convenience init(plaintext: String) throws {
        try self.init()
        try write(plaintext, to: "plaintext")
        try write(String(repeating: "fedcba9876543210", count: 8), toPrivate: "new-key")
        try succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
    }

    deinit {
        // A test may have taken the permissions away.
        try? FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: directory.path)
        try? FileManager.default.removeItem(at: directory)
    }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    /// Writes a file that only its owner may read: if the tests run as root, the user as whom some
    /// commands run.
    func write(_ text: String, toPrivate name: String) throws {
        try write(text, to: name)
        let path = directory.appendingPathComponent(name).path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        if geteuid() == 0 { _ = chown(path, 65534, 65534) }
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: directory.appendingPathComponent(name))
    }

    func read(_ name: String) throws -> Data {
        try Data(contentsOf: directory.appendingPathComponent(name))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: directory.appendingPathComponent(name))
    }

    /// The output of a script that must succeed, as text.
    func text(_ script: String, at location: SourceLocation = #_sourceLocation) throws -> String {
        String(decoding: try succeed(script, sourceLocation: location), as: UTF8.self)
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.appendingPathComponent(name).path)
    }

    /// The names in the directory, hidden ones included.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    /// A shell command that alters one bit of a file in place. A fixed byte would be the same as
    /// before once in 256 times.
    func alteration(of name: String, at offset: Int) throws -> String {
        let octal = String(try read(name)[offset] ^ 1, radix: 8)
        return "printf '\\\(octal)' | dd of='\(name)' bs=1 seek=\(offset) conv=notrunc status=none"
    }

    struct Outcome {
        let status: Int32
        let output: Data
        let complaint: String
    }

    /// Runs a script of `sh`.
    @discardableResult
    func shell(_ script: String, environment: [String: String] = [:]) throws -> Outcome {
        // These files are outside of the directory, so that its list of names is the command's
        // doing alone.
        let outputs = FileManager.default.temporaryDirectory.appendingPathComponent(
            "rncryptor-outputs-\(UUID())")
        try FileManager.default.createDirectory(at: outputs, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: outputs) }
        func handle(_ name: String) throws -> FileHandle {
            let file = outputs.appendingPathComponent(name)
            try Data().write(to: file)
            return try FileHandle(forWritingTo: file)
        }
        let process = Process()
        #if os(Linux)
        // Whoever starts the tests may ignore signals, as a shell does with SIGINT for what it
        // starts in the background. Children inherit that, and the command respects it.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal", "/bin/sh", "-c", script]
        #else
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        #endif
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try handle("output")
        process.standardError = try handle("complaint")
        process.environment = ProcessInfo.processInfo.environment
            .merging(["RNCRYPTOR": BuiltCommand.path, "LC_ALL": "C", "TZ": "UTC0"]) { $1 }
            .merging(environment) { $1 }
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationReason == .exit
                ? process.terminationStatus : -process.terminationStatus,
            output: try Data(contentsOf: outputs.appendingPathComponent("output")),
            complaint: String(
                decoding: try Data(contentsOf: outputs.appendingPathComponent("complaint")),
                as: UTF8.self))
    }

    /// Runs a script that must succeed and complain about nothing.
    @discardableResult
    func succeed(
        _ script: String, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Data {
        let outcome = try shell(script, environment: environment)
        #expect(
            outcome.status == 0, "\(script): exit \(outcome.status)", sourceLocation: sourceLocation
        )
        #expect(
            outcome.complaint.isEmpty, "\(script): \(outcome.complaint)",
            sourceLocation: sourceLocation)
        return outcome.output
    }
}
