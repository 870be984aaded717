import CryptorFormat
import Foundation

/// `TestVectors/peer.py`: the implementation in Python that makes the vectors, and PyPI's
/// `rncryptor`. One process answers all requests of a test. `CRYPTORFORMAT_PYTHON` names a Python
/// that has both.
package enum PythonPeer {
    package static let variable = "CRYPTORFORMAT_PYTHON"
    private static let python = ProcessInfo.processInfo.environment[variable]

    package static var isGiven: Bool { python != nil }

    package enum Task: String, Encodable, Sendable {
        case vectorsWrite = "vectors_write"
        case vectorsRead = "vectors_read"
        /// The published package knows only version 3 with a password.
        case publishedWrite = "published_write"
        case publishedRead = "published_read"
    }

    /// How much of a password writers of old versions use.
    package enum Truncation: String, CaseIterable, Encodable, Sendable {
        case none
        case utf16Units = "utf-16 units"
        case codePoints = "code points"
    }

    package struct Request: Encodable, Sendable {
        let task: Task
        let name: String
        let version: UInt8
        let truncation: Truncation
        let password: String?
        let encryptionKey: String?
        let hmacKey: String?
        /// The plaintext or the message, in hex.
        let bytes: String

        /// - Parameter name: the peer makes the salts and the IV from it.
        package init(
            _ task: Task, _ bytes: [UInt8], _ secret: Secret, name: String = "",
            version: UInt8 = 3,
            truncation: Truncation = .none
        ) {
            self.task = task
            self.name = name
            self.version = version
            self.truncation = truncation
            self.bytes = bytes.hex
            switch secret {
            case .password(let text, _):
                (password, encryptionKey, hmacKey) = (text, nil, nil)
            case .keys(let encryption, let hmac):
                (password, encryptionKey, hmacKey) = (nil, encryption.hex, hmac.hex)
            }
        }
    }

    /// The answers in order: bytes in hex, or "refused: …".
    package static func answers(to requests: [Request]) throws -> [String] {
        guard let python else { throw VectorError("\(variable) is not set") }
        // The requests go through a file: a Python that ends early would break a pipe, and that
        // would end this process.
        let questions = FileManager.default.temporaryDirectory.appending(
            path: "requests-\(UUID().uuidString).json")
        try JSONEncoder().encode(requests).write(to: questions)
        defer { try? FileManager.default.removeItem(at: questions) }

        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-B", VectorDirectory.root.appending(path: "peer.py").path]
        let output = Pipe()
        process.standardInput = try FileHandle(forReadingFrom: questions)
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw VectorError("\(python) ended with status \(process.terminationStatus)")
        }
        let answers = try JSONDecoder().decode([String].self, from: data)
        guard answers.count == requests.count else { throw VectorError("\(answers.count) answers") }
        return answers
    }
}
