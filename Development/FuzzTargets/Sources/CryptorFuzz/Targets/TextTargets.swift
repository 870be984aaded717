@testable import CryptorFormat
import FoundationEssentials

/// Base64 text: chunks make no difference, what Foundation reads and would write is read the same,
/// and what is written can be read.
func base64Target(_ input: consuming FuzzInput) throws {
    let chunks = input.chunkSizes()
    let bytes = input.rest()
    let whole = decoded([bytes])
    expect(decoded(chunks.cut(bytes).map { Array($0) }) == whole, "in chunks it is another text")
    // Only for texts in their one right form: Foundation also reads some that go on behind their
    // padding, which are refused here.
    if let known = Data(base64Encoded: Data(bytes)), Array(known.base64EncodedData()) == bytes {
        expect(whole == Array(known), "another reading than Foundation's")
    }
    var encoder = Base64Encoder()
    var text: [UInt8] = []
    for chunk in chunks.cut(bytes) { encoder.encode(Array(chunk), into: &text) }
    encoder.finish(into: &text)
    expect(decoded([text]) == bytes, "what was written is read as something else")
    let unbroken = text.filter { $0 != UInt8(ascii: "\n") }
    expect(unbroken == Array(Data(bytes).base64EncodedData()), "another text than Foundation's")
}

/// The decoded bytes; nil if the text is refused.
private func decoded(_ chunks: [[UInt8]]) -> [UInt8]? {
    var decoder = Base64Decoder()
    var bytes: [UInt8] = []
    do {
        for chunk in chunks { try decoder.decode(chunk, into: &bytes) }
        try decoder.finish(into: &bytes)
        return bytes
    } catch {
        return nil
    }
}

/// Names of files, of any bytes, are shown in one line that controls no terminal, and that tells
/// different names apart.
func namesTarget(_ input: consuming FuzzInput) throws {
    let bytes = input.rest()
    let shown = FileName(path: bytes).shown
    expect(!shown.isEmpty, "a name without a letter")
    for scalar in shown.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            fail("what controls a terminal is shown: \(shown)")
        default: break
        }
    }
    // Bytes are compared, since a combining mark may join the quote.
    let isQuoted = shown.utf8.starts(with: "$'".utf8)
    expect(isQuoted || Array(shown.utf8) == bytes, "it is shown as another name: \(shown)")
    expect(FileName(path: bytes + [0x41]).shown != shown, "another name is shown the same")
}
