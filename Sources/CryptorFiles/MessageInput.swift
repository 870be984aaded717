import CryptorFormat
import CryptorSystem

/// A message as it is read from a file: binary or, where the caller allows it, base64 text.
struct MessageInput: ~Copyable {
    private(set) var file: InputFile
    private var decoder: Base64Decoder?
    private var text: [UInt8] = []
    /// Bytes of the message that were read but not asked for yet.
    private var decoded: [UInt8] = []
    private var textEnded = false
    /// How the text is broken into lines; nil until it was read to its end, and for a binary message.
    private(set) var layout: Base64Layout?

    /// - Parameter acceptingBase64: whether text that starts like a message in base64 is decoded.
    init(_ file: consuming InputFile, acceptingBase64: Bool) throws(CryptorError) {
        self.file = file
        try readStart(acceptingBase64: acceptingBase64)
    }

    private mutating func readStart(acceptingBase64: Bool) throws(CryptorError) {
        var start: [UInt8] = []
        try file.append(HeaderReader.base64ProbeByteCount, to: &start)
        guard acceptingBase64 && HeaderReader.isBase64Text(start) else {
            decoded = start
            return
        }
        text = start
        decoder = Base64Decoder()
        try decodeText()
    }

    /// Reads a message from a private copy, which is binary.
    /// - Parameter layout: the layout of the text that the message was copied from.
    init(spooled file: consuming InputFile, layout: Base64Layout?) {
        self.file = file
        self.layout = layout
    }

    var isBase64: Bool { decoder != nil }

    /// The length of the message, if it is known before it is read.
    var byteCount: Int? { isBase64 ? nil : file.byteCount }

    mutating func rewind() {
        file.rewind()
        decoded.removeAll(keepingCapacity: true)
        textEnded = false
        if isBase64 { decoder = Base64Decoder() }
    }

    /// Appends the next `count` bytes to `buffer`, fewer only at the end of the message.
    mutating func append(_ count: Int, to buffer: inout [UInt8]) throws(CryptorError) {
        while isBase64, !textEnded, decoded.count < count {
            // Four characters stand for three bytes, and there are line breaks.
            text.removeAll(keepingCapacity: true)
            try file.append(min(max(4096, 2 * (count - decoded.count)), 256 * 1024), to: &text)
            try decodeText()
        }
        let ready = min(count, decoded.count)
        buffer.append(contentsOf: decoded.prefix(ready))
        decoded.removeFirst(ready)
        if !isBase64 && ready < count { try file.append(count - ready, to: &buffer) }
    }

    /// Decodes the bytes in `text`. If there are none, the text has ended.
    private mutating func decodeText() throws(CryptorError) {
        do throws(Base64Decoder.Failure) {
            if text.isEmpty {
                textEnded = true
                try decoder?.finish(into: &decoded)
                layout = decoder?.layout
            } else {
                try decoder?.decode(text, into: &decoded)
            }
        } catch {
            throw CryptorError(
                .looksBase64Encoded,
                "The input starts as base64 text, but what is at byte \(error.offset) is not base64. Part of it was lost or "
                    + "altered: fetch it again."
            ).naming(file.name)
        }
    }
}
