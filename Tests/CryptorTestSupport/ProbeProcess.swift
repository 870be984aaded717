import CCryptorProbe
import Foundation

/// The program `CryptorProbe`, which was built together with the tests, in a process of its own.
package struct ProbeProcess {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    package init(_ words: [String], environment: [String: String] = [:]) throws {
        process.executableURL = Self.directory.appendingPathComponent("CryptorProbe")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// The directory with the test runner's binary.
    package static let directory: URL = {
        #if os(Linux)
        let runner =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: runner).deletingLastPathComponent()
        #else
        return Bundle.main.bundleURL.deletingLastPathComponent()
        #endif
    }()

    /// Sends lines and then "end". Other processes that start now may inherit this pipe, so the
    /// program might not see its end.
    package func send(_ lines: [String]) throws {
        try input.fileHandleForWriting.write(
            contentsOf: Data((lines + ["end", ""]).joined(separator: "\n").utf8))
    }

    /// The lines up to the one that says "ready".
    package func linesUntilReady() throws -> [String] {
        var text = Data()
        while !text.suffix(7).elementsEqual("\nready\n".utf8) && !text.elementsEqual("ready\n".utf8)
        {
            // `read(upToCount:)` would wait until it has that many bytes.
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Failure(
                    description:
                        "it ended and was not ready: \(String(decoding: text, as: UTF8.self))")
            }
            text += more
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").dropLast().map(
            String.init)
    }

    /// Returns the remaining lines. Throws an error if the process does not succeed.
    package func finish() throws -> [String] {
        try input.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(
                description:
                    "CryptorProbe \(process.arguments ?? []) ended with "
                    + "\(process.terminationStatus)"
            )
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
