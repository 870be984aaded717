@testable import CryptorFormat

/// A message gets another credential, from and to every kind of file: the result has the same plaintext and the same
/// encoding, even if somebody changes the source meanwhile. If that is refused or cancelled, source and destination
/// stay as they were.
func rekeyTarget(_ input: consuming FuzzInput) throws {
    var run = RekeyRun(&input)
    let (credential, short, isShortened) = try Fixture.message(input)
    run.accepting.shortenedPasswords = isShortened
    let binary = try run.isLong ? long(short, credential, run.accepting) : short
    let source = run.isEncoded ? Cryptor.base64Text(of: binary) : binary
    let acceptsText = run.acceptsBase64
    let isText = acceptsText && HeaderReader.isBase64Text(Array(source.prefix(HeaderReader.base64ProbeByteCount)))
    let message = isText ? try? Cryptor.message(fromBase64: source) : source
    let expected = message.map { Outcome.whole($0, credential, run.accepting) } ?? .failure(.looksBase64Encoded)

    WorkingFolder.clear()
    try WorkingFolder.write(source, to: "old")
    if run.hasOther { try WorkingFolder.write([1], to: "new") }
    try run.choose(source)
    let outcome = Outcome { () throws(CryptorError) in
        try Cryptor.rekeyFile(
            at: run.source, to: run.destination, from: credential, into: Fixture.otherCredential,
            accepting: run.accepting, options: FileOptions(overwriting: run.overwriting, base64: acceptsText),
            progress: run.progress)
        return []
    }
    let written = run.output?.finish()
    guard case .plaintext = outcome else {
        if !run.isOfFiles(outcome) { Outcome.expectSame(outcome, expected, "as a file, whole") }
        run.expectUntouched(source)
        // A destination that is seen at once may have got the start of a message. It must not pass for a message.
        if let written, case .plaintext = Outcome.whole(decoded(written), Fixture.otherCredential, [.v3]) {
            fail("\(outcome), and a whole message was written")
        }
        return
    }
    guard let rekeyed = written ?? run.writtenFile else {
        guard case .plaintext = expected else { fail("\(expected) as a whole, and it was rekeyed into nothing") }
        return
    }
    expect(isText == (rekeyed.first != 3), "another encoding than the source's: \(rekeyed.prefix(4))")
    let lineBreaks = Array("\n\r\t".utf8)
    let hasEnd = source.last { $0 != UInt8(ascii: " ") }.map(lineBreaks.contains) ?? false
    expect(!isText || (rekeyed.last == UInt8(ascii: "\n")) == hasEnd, "another end of the last line than the source's")
    Outcome.expectSame(
        .whole(decoded(rekeyed), Fixture.otherCredential, [.v3]), expected, "under the other credential, before")
}

/// A message with the same plaintext again and again: only long messages report progress and are read in segments.
private func long(
    _ message: [UInt8], _ credential: Credential, _ accepting: Acceptance
) throws -> [UInt8] {
    guard case .plaintext(let plaintext) = Outcome.whole(message, credential, accepting),
        let header = try? Header(parsing: message, version0UsesPassword: credential.isPassword)
    else { return message }
    // It is written under all bytes of the password.
    return try Cryptor.encrypt(
        plaintext.repeated(toAtLeast: 150 * 1024), with: credential, header: header)
}

/// The binary form of a message, which may be text.
private func decoded(_ message: [UInt8]) -> [UInt8] {
    message.first == 3 ? message : (try? Cryptor.message(fromBase64: message)) ?? []
}

private struct RekeyRun {
    let isLong: Bool
    let isEncoded: Bool
    let acceptsBase64: Bool
    let hasOther: Bool
    let overwriting: Bool
    var accepting: Acceptance
    private(set) var source = FileEndpoint.path(WorkingFolder.path(of: "old"))
    private(set) var destination = FileEndpoint.path(WorkingFolder.path(of: "new"))
    /// The pipe that the destination leads to, if it is one.
    private(set) var output: Pipe?

    private let way: UInt8
    /// What happens when the progress handler is called for the time that `eventAt` says.
    private let event: UInt8
    private let eventAt: Int
    private let calls = Counter()
    private var file: UnnamedFile?
    private var pipe: Pipe?

    init(_ input: inout FuzzInput) {
        let choice = input.next()
        let flags = input.next()
        let meddling = input.next()
        way = choice & 15
        overwriting = choice & 0x10 != 0
        isLong = choice & 0x80 != 0
        isEncoded = flags & 1 == 1
        acceptsBase64 = flags & 2 == 0
        hasOther = flags & 4 != 0
        accepting = Fixture.versions(flags >> 4)
        accepting.spoolByteLimit = choice & 0x40 == 0 ? nil : Int(meddling) * 16
        event = meddling & 7
        eventAt = Int(meddling >> 3) & 15
    }

    /// - Parameter content: the bytes of the source.
    mutating func choose(_ content: [UInt8]) throws {
        let fits = content.count < Pipe.byteCount - 4096
        let way = fits ? way : [0, 1, 5, 7, 10, 11][Int(way % 6)]
        switch way {
        case 0, 1:
            let file = try UnnamedFile(content)
            self.file = file
            source = way == 0 ? .descriptor(file.descriptor) : .path(file.path)
        case 2, 3, 4:
            let pipe = try Pipe(giving: content)
            self.pipe = pipe
            source = way == 2 ? .descriptor(pipe.readEnd) : .path("/proc/self/fd/\(pipe.readEnd)")
        case 5, 6, 7: destination = source
        default: break
        }
        switch way {
        case 3, 8, 9:
            let output = try Pipe()
            self.output = output
            destination = way == 8 ? .descriptor(output.writeEnd) : .path("/proc/self/fd/\(output.writeEnd)")
        case 10: destination = .path("/dev/null")
        default: break
        }
    }

    /// The bytes of the destination; nil if nobody can see them.
    var writtenFile: [UInt8]? {
        switch destination {
        case .path("/dev/null"): nil
        case source: WorkingFolder.read("old")
        default: WorkingFolder.read("new")
        }
    }

    private var meddles: Bool { eventAt > 0 && calls.count >= eventAt && event > 0 }

    /// Cancels the call, or changes a file.
    func progress(_ state: FileProgress) throws {
        guard calls.next() == eventAt else { return }
        let old = Array(WorkingFolder.path(of: "old").utf8)
        switch event {
        case 1: throw SystemFailure()
        case 2: truncate(characters(old), 100)
        case 3, 4:
            let descriptor = openFile(old, O_WRONLY)
            defer { close(descriptor) }
            pwrite(descriptor, [0x5A], 1, off_t(event == 3 ? 70_000 : 200))
        case 5: try WorkingFolder.write([2], to: "new")
        case 6: _ = removeFile(old)
        default: break
        }
    }

    /// Whether it failed for a reason that only files have.
    func isOfFiles(_ outcome: Outcome) -> Bool {
        let codes: [CryptorError.Code] =
            meddles
            ? [.cancelled, .destinationExists, .messageTooLong, .inputOutput, .authenticationFailed]
            : [.destinationExists, .messageTooLong]
        return codes.contains { outcome == .failure($0) }
    }

    func expectUntouched(_ content: [UInt8]) {
        let other: [UInt8]? = meddles && event == 5 ? [2] : hasOther ? [1] : nil
        expect(WorkingFolder.read("new") == other, "the destination is another")
        if !meddles || event == 1 { expect(WorkingFolder.read("old") == content, "the source is another") }
        let count = (other == nil ? 0 : 1) + (meddles && event == 6 ? 0 : 1)
        expect(WorkingFolder.names.count == count, "something was left behind")
    }
}
