/// A message that must be refused for one fault.
package struct RefusedVector: Vector {
    package let name: String
    package let secret: Secret
    package let message: [UInt8]
    package let fault: Fault
    /// For a forgery under a shortened reading of the password, the plaintext that comes out if such readings are
    /// accepted.
    package let forgedPlaintext: [UInt8]?

    package init(_ fields: VectorFields, name: String) throws {
        self.name = name
        secret = try Secret(fields)
        message = try fields.required(\.message).bytes
        fault = try fields.required(\.fault)
        forgedPlaintext = fields.shortenedPassword == true ? try fields.required(\.plaintext).bytes : nil
        try fields.check(fields.kind == .message && fields.expect == fault.expect, "not a message to be refused")
    }
}
