@testable import CryptorFormat
import FoundationEssentials

/// Names of files, of any bytes: they are shown in one line, from which a shell gets the bytes back, and as paths and
/// as URLs they lead to the same file.
func namesTarget(_ input: consuming FuzzInput) throws {
    let bytes = input.rest()
    let shown = FileName(path: bytes).shown
    expect(shown.unicodeScalars.allSatisfy(isHarmless), "what controls a terminal is shown: \(shown)")
    expect(!shown.isEmpty, "a name without a letter")
    // Bytes are compared, since a combining mark may join the quote.
    if shown.utf8.starts(with: "$'".utf8) {
        expect(unquoted(Array(shown.utf8)) == bytes, "read by a shell it is another name: \(shown)")
    } else {
        expect(Array(shown.utf8) == bytes, "it is shown as another name: \(shown)")
    }

    let escaped = bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    if let url = URL(string: "file:///\(escaped)") {
        guard let path = try url.endpoint.pathBytes else { fail("a descriptor") }
        expect(path == Array("/".utf8) + bytes, "another path than the URL's: \(path)")
    }
    if let url = URL(string: String(decoding: bytes, as: UTF8.self)), !url.isFileURL {
        do {
            _ = try url.endpoint
            fail("\(url) is a file")
        } catch {
            expect(Outcome(error) == .failure(.invalidPath), "\(error.code)")
        }
    }
    try throughFile(bytes.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 })
}

/// A file that gets this name is found under it, or no file can have it.
private func throughFile(_ name: [UInt8]) throws {
    let plaintext = Array("plaintext".utf8)
    let endpoint = FileEndpoint.pathBytes(Array("\(WorkingFolder.path)/".utf8) + name)
    defer { WorkingFolder.clear() }
    let pipe = try Pipe(giving: plaintext)
    do {
        try Cryptor.encryptFile(at: .descriptor(pipe.readEnd), to: endpoint, with: Fixture.credential)
        expect(WorkingFolder.names == [name], "it got another name")
        var verified: [UInt8] = []
        try Cryptor.decryptFile(at: endpoint, with: Fixture.credential) { verified += $0 }
        expect(verified == plaintext, "another plaintext")
    } catch {
        let isImpossible = name.isEmpty || name == Array(".".utf8) || name == Array("..".utf8) || name.count > 255
        let code: CryptorError.Code = name.contains(0) ? .invalidPath : .inputOutput
        expect(Outcome(error) == .failure(code) && (isImpossible || name.contains(0)), "\(error)")
        expect(WorkingFolder.names.isEmpty, "something was left behind")
    }
}

private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
}

/// The bytes that bash reads `$'…'` as; nil if it would read the text in another way.
private func unquoted(_ shown: [UInt8]) -> [UInt8]? {
    guard shown.count >= 3, shown.last == UInt8(ascii: "'") else { return nil }
    var bytes: [UInt8] = []
    var rest = shown.dropFirst(2).dropLast()
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\") else {
            if byte == UInt8(ascii: "'") { return nil }
            bytes.append(byte)
            continue
        }
        switch rest.popFirst() {
        case UInt8(ascii: "n"): bytes.append(10)
        case UInt8(ascii: "r"): bytes.append(13)
        case UInt8(ascii: "t"): bytes.append(9)
        case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "'"): bytes.append(UInt8(ascii: "'"))
        case UInt8(ascii: "x"):
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        default: return nil
        }
    }
    return bytes
}
