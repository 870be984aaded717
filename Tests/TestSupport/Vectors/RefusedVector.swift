/// A message to be refused for one fault.
package struct RefusedVector: Vector {
    package let name: String
    package let secret: Secret
    package let message: [UInt8]
    package let fault: Fault

    package init(_ fields: VectorFields, name: String) throws {
        self.name = name
        secret = try Secret(fields)
        message = try fields.required(\.message).bytes
        fault = try fields.required(\.fault)
        try fields.check(fields.kind == .message && fields.expect == fault.expect, "not a message to be refused")
    }
}
