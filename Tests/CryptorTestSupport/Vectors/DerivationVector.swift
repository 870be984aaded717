/// A password and a salt, and the key that must be derived from them.
package struct DerivationVector: Vector {
    package let name: String
    package let password: String
    package let salt: [UInt8]
    package let iterations: Int
    package let key: [UInt8]

    package init(_ fields: VectorFields, name: String) throws {
        try fields.check(fields.kind == .kdf, "not a key derivation")
        self.name = name
        password = try fields.required(\.password)
        salt = try fields.required(\.salt).bytes
        iterations = try fields.required(\.iterations)
        key = try fields.required(\.key).bytes
    }
}
