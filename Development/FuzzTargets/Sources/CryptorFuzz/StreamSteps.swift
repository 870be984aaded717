/// The calls that a script makes: their sizes, and the room for their output.
struct StreamSteps {
    enum Form: Sendable {
        case array
        /// `room` may be too little; nil for enough.
        case span(room: Int?)
    }

    var script: FuzzInput
    let isLong: Bool

    mutating func form() -> Form {
        let choice = script.next()
        return switch choice & 3 {
        case 0, 1: .array
        case 2: .span(room: nil)
        default: .span(room: Int(script.next()) * (choice & 4 == 0 ? 1 : 16))
        }
    }

    mutating func take(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let choice = Int(script.next())
        let count = script.isEmpty ? bytes.count : (choice < 128 ? choice : (choice - 127) * 113) * (isLong ? 5003 : 1)
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    func long(_ bytes: [UInt8]) -> [UInt8] { isLong ? bytes.repeated(toAtLeast: 700 * 1024) : bytes }
}
