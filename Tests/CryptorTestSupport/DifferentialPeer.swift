import CryptorFiles
import CryptorFormat
import Foundation

/// `TestVectors/peer.py`: the implementation in Python that makes the vectors, and PyPI's `rncryptor`. One process
/// answers all requests of a test.
package enum DifferentialPeer {
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
            _ task: Task, _ bytes: [UInt8], _ secret: Secret, name: String = "", version: FormatVersion = .v3,
            truncation: Truncation = .none
        ) {
            self.task = task
            self.name = name
            self.version = version.rawValue
            self.truncation = truncation
            self.bytes = bytes.hex
            switch secret {
            case .password(let text):
                (password, encryptionKey, hmacKey) = (text, nil, nil)
            case .keys(let encryption, let hmac):
                (password, encryptionKey, hmacKey) = (nil, encryption.hex, hmac.hex)
            }
        }
    }

    package enum Answer: Sendable, Equatable {
        case bytes([UInt8])
        case refused(Fault)
    }

    package static func answers(to requests: [Request]) throws -> [Answer] {
        let script = VectorFolder.root.appending(path: "peer.py").path
        return try PythonPeer.answers(of: [script], to: requests).map { answer in
            guard answer.hasPrefix("refused: ") else { return .bytes(try [UInt8](hex: answer)) }
            guard let fault = Fault(rawValue: String(answer.dropFirst(9))) else { throw VectorError(answer) }
            return .refused(fault)
        }
    }
}
