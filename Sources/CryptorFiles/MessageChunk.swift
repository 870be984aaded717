/// A part of a message on its way through the cipher.
struct MessageChunk: Sendable {
    /// How many bytes of a file are read at a time.
    static let byteCount = 128 * 1024

    var input: [UInt8] = []
    var output: [UInt8] = []
}
