@testable import CryptorFormat

/// A message that gets another credential, from and to whatever there is: the same plaintext in the encoding that it had. What is
/// refused, or cancelled, leaves source and destination as they were.
func rekeyTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let flags = input.next()
    let accepting = Fixture.versions(input.next() & 15)
    let throwsAt = flags & 0xC0 == 0xC0 ? 1 + Int(flags >> 3) & 7 : 0
    let (credential, binary) = try Fixture.message(&input)
    let source = flags & 1 == 1 ? Cryptor.base64Text(of: binary) : binary
    guard source.count < Pipe.byteCount - 4096 else { return }
    let acceptsBase64 = flags & 2 == 0
    let isText = acceptsBase64 && HeaderReader.isBase64Text(Array(source.prefix(HeaderReader.base64ProbeByteCount)))
    let message = isText ? try? Cryptor.message(fromBase64: source) : source
    let expected = message.map { Outcome.whole($0, credential, accepting) } ?? .failure(.looksBase64Encoded)

    WorkingFolder.clear()
    let (old, new) = (WorkingFolder.path(of: "old"), WorkingFolder.path(of: "new"))
    try WorkingFolder.write(source, to: "old")
    if flags & 4 != 0 { try WorkingFolder.write([1], to: "new") }
    let file = try UnnamedFile(source)
    let calls = Counter()
    let progress: FileProgress.Handler = { _ in if calls.next() == throwsAt { throw SystemFailure() } }
    let output = try Pipe()
    var way = RekeyWay(source: .path(old), destination: .path(new), throwsAt: throwsAt)
    let pipe = choice & 7 == 1 ? try Pipe(giving: source) : try Pipe()
    switch choice & 7 {
    case 0: way.source = .descriptor(file.descriptor)
    case 1: way.source = .descriptor(pipe.readEnd)
    case 2, 3: way.destination = .path(old)
    default: break
    }
    if choice & 0x18 == 0x18 { way.destination = .descriptor(output.writeEnd) }
    way.spoolByteLimit = choice & 0x20 == 0 ? nil : Int(flags) * 16

    let outcome = Outcome { () throws(CryptorError) in
        try Cryptor.rekeyFile(
            at: way.source, to: way.destination, from: credential, into: Fixture.otherCredential, accepting: accepting,
            overwriting: choice & 0x40 != 0, acceptingBase64: acceptsBase64,
            spoolByteLimit: way.spoolByteLimit, concurrency: choice & 0x40 != 0 ? .serial : .automatic,
            progress: progress)
        return []
    }
    let written = output.finish()
    guard case .plaintext = outcome else {
        try way.expectUntouched(source, hasOther: flags & 4 != 0)
        let isOfFiles = [.cancelled, .destinationExists, .messageTooLong].contains { outcome == .failure($0) }
        if !isOfFiles { Outcome.expectSame(outcome, expected, "as a file, whole") }
        // What is seen at once has the header before anybody knows whether the message is authentic, and no more: a start
        // that is no message.
        if case .plaintext = Outcome.whole(decoded(written), Fixture.otherCredential, [.v3]) {
            fail("\(outcome), and a whole message was written")
        }
        return
    }
    let rekeyed: [UInt8]
    switch way.destination {
    case .descriptor: rekeyed = written
    case .path(old): rekeyed = WorkingFolder.read("old") ?? []
    default: rekeyed = WorkingFolder.read("new") ?? []
    }
    expect(isText == (rekeyed.first != 3), "another encoding than the source's: \(rekeyed.prefix(4))")
    expect(!isText || rekeyed.last == UInt8(ascii: "\n"), "text whose last line has no end")
    Outcome.expectSame(
        .whole(decoded(rekeyed), Fixture.otherCredential, [.v3]), expected, "under the other credential, before")
}

private struct RekeyWay {
    var source: FileEndpoint
    var destination: FileEndpoint
    let throwsAt: Int
    var spoolByteLimit: Int?

    func expectUntouched(_ content: [UInt8], hasOther: Bool) throws {
        expect(WorkingFolder.read("old") == content, "the source is another")
        expect(WorkingFolder.read("new") == (hasOther ? [1] : nil), "the destination is another")
        expect(WorkingFolder.names.count == (hasOther ? 2 : 1), "something was left behind")
    }
}

/// Binary, whether it is text or not.
private func decoded(_ message: [UInt8]) -> [UInt8] {
    message.first == 3 ? message : (try? Cryptor.message(fromBase64: message)) ?? []
}
