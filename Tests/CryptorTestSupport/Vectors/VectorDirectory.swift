import CryptorFiles
import Foundation

/// The directories of TestVectors. Loading throws when a directory is empty or a file unreadable,
/// so that no test passes because there was nothing to test.
package struct VectorDirectory: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Sendable { case kdf, password, key, refused, long }

    package let version: UInt8
    package let kind: Kind

    /// The smallest number of files to expect: their number on the day that these tests were
    /// written.
    package let minimumCount: Int

    package var description: String { "v\(version)/\(kind.rawValue)" }

    package static let all: [VectorDirectory] = [
        (3, [.kdf: 16, .password: 67, .key: 43, .refused: 128, .long: 3]),
        (2, [.kdf: 4, .password: 45, .key: 11, .refused: 52, .long: 2]),
        (1, [.kdf: 4, .password: 22, .key: 13, .refused: 45, .long: 1]),
        (0, [.password: 22, .key: 20, .refused: 39, .long: 3]),
    ].flatMap { (version: UInt8, counts: [Kind: Int]) in
        Kind.allCases.compactMap { kind in
            counts[kind].map { VectorDirectory(version: version, kind: kind, minimumCount: $0) }
        }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestVectors")

    /// The cases of this directory, by name.
    private func load<Case: Vector>(_ type: Case.Type) throws -> [Case] {
        let directory = Self.root.appending(path: description)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
            $0.hasSuffix(".json")
        }
        guard !names.isEmpty else { throw VectorError("\(directory.path) holds no vector") }
        return try names.sorted().map { name in
            let path = "\(self)/\(name)"
            do {
                let data = try Data(contentsOf: directory.appending(path: name))
                return try Case(JSONDecoder().decode(VectorFields.self, from: data), name: path)
            } catch {
                throw VectorError("\(path): \(error)")
            }
        }
    }

    private static func load<Case: Vector>(_ kinds: [Kind]) throws -> [Case] {
        try all.filter { kinds.contains($0.kind) }.flatMap { try $0.load(Case.self) }
    }

    package static func derivations() throws -> [DerivationVector] { try load([.kdf]) }

    /// Password messages and key messages.
    package static func readable() throws -> [ReadableVector] { try load([.password, .key]) }

    package static func refused() throws -> [RefusedVector] { try load([.refused]) }

    package static func long() throws -> [LongVector] { try load([.long]) }

    /// The paths of all messages and keys under TestVectors, whether or not `all` lists their
    /// directory.
    package static func everyFile() throws -> Set<String> {
        guard let paths = FileManager.default.enumerator(atPath: root.path) else {
            throw VectorError("\(root.path) cannot be read")
        }
        let names = paths.compactMap { $0 as? String }.filter {
            $0.hasPrefix("v") && $0.hasSuffix(".json")
        }
        return Set(names)
    }
}
