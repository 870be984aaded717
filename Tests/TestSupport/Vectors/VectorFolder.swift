import Foundation

/// The folders of TestVectors. Loading throws when a folder is empty or a file unreadable, so that no test passes
/// because there was nothing to test.
package enum VectorFolder: String, CaseIterable, Sendable {
    case derivations = "v3/kdf"
    case passwordMessages = "v3/password"
    case keyMessages = "v3/key"
    case refusedMessages = "v3/refused"

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestVectors")

    /// The cases of this folder, by name.
    private func load<Case: Vector>(_ type: Case.Type) throws -> [Case] {
        let folder = Self.root.appending(path: rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        guard !names.isEmpty else { throw VectorError("\(folder.path) holds no vector") }
        return try names.sorted().map { name in
            let path = "\(rawValue)/\(name)"
            do {
                let data = try Data(contentsOf: folder.appending(path: name))
                return try Case(JSONDecoder().decode(VectorFields.self, from: data), name: path)
            } catch {
                throw VectorError("\(path): \(error)")
            }
        }
    }

    package static func derivations() throws -> [DerivationVector] { try Self.derivations.load(DerivationVector.self) }

    /// Password messages and key messages.
    package static func readable() throws -> [ReadableVector] {
        try passwordMessages.load(ReadableVector.self) + keyMessages.load(ReadableVector.self)
    }

    package static func refused() throws -> [RefusedVector] { try refusedMessages.load(RefusedVector.self) }

    /// How many files there must be at least: the number on the day that these tests were written.
    package var minimumCount: Int {
        switch self {
        case .derivations: 16
        case .passwordMessages: 23
        case .keyMessages: 17
        case .refusedMessages: 116
        }
    }

    /// Every case under TestVectors, by its path there, whether or not a folder above knows it.
    package static func everyFile() throws -> Set<String> {
        guard let paths = FileManager.default.enumerator(atPath: root.path) else {
            throw VectorError("\(root.path) cannot be read")
        }
        let names = paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") && $0 != "schema.json" }
        return Set(names)
    }
}
