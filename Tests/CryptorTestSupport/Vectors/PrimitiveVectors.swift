import Foundation

/// A file of TestVectors/primitives: the cases of one cipher, code or derivation.
package struct PrimitiveVectors<Case: Decodable & Sendable>: Decodable, Sendable {
    package let cases: [Case]

    /// - Parameters:
    ///   - name: the name of the file, such as "hmac-sha256".
    ///   - count: the number of cases that the file must have.
    package static func load(_ name: String, count: Int) throws -> [Case] {
        let file = VectorFolder.root.appending(path: "primitives/\(name).json")
        let vectors = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        guard vectors.cases.count == count else { throw VectorError("\(name): \(vectors.cases.count) cases") }
        return vectors.cases
    }
}
