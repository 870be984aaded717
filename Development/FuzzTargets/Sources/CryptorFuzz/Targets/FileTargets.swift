@testable import CryptorFiles
@testable import CryptorFormat
@testable import CryptorPrimitives

/// Files give what whole messages give when they are verified, decrypted into a pipe, which takes
/// two passes, and given another credential. Nothing of a refused message reaches a pipe.
func filesTarget(_ input: consuming FuzzInput) throws {
    let accepting = Fixture.versions(input.next() & 15)
    let (credential, message) = try Fixture.message(input)
    // A longer message might fill the pipe, which nobody reads meanwhile.
    guard message.count < 32 * 1024 else { return }
    let expected = Outcome.whole(message, credential, accepting)
    let file = try UnnamedFile(message)
    let source = FileEndpoint.descriptor(file.descriptor)
    let verified = Outcome { () throws(CryptorError) in
        let count = try Cryptor.verifyFile(at: source, with: credential, accepting: accepting)
        guard case .plaintext(let plaintext) = expected, plaintext.count == count else {
            fail("\(count) bytes verified")
        }
        return plaintext
    }
    Outcome.expectSame(verified, expected, "verified, whole")
    file.rewind()
    try inspect(source, message)

    file.rewind()
    try expectPiped(expected) { (pipe) throws(CryptorError) in
        try Cryptor.decryptFile(at: source, to: pipe, with: credential, accepting: accepting)
    } plaintext: {
        $0
    }
    file.rewind()
    try expectPiped(expected) { (pipe) throws(CryptorError) in
        try Cryptor.rekeyFile(
            at: source, to: pipe, from: credential, into: Fixture.otherCredential,
            accepting: accepting)
    } plaintext: {
        try? Cryptor.decrypt($0, with: Fixture.otherCredential)
    }
}

private func expectPiped(
    _ expected: Outcome, _ body: (FileEndpoint) throws(CryptorError) -> Void,
    plaintext: ([UInt8]) -> [UInt8]?
) throws {
    let pipe = try Pipe()
    let outcome = Outcome { () throws(CryptorError) in
        try body(.descriptor(pipe.writeEnd))
        return []
    }
    let released = pipe.finish()
    if case (.plaintext, .plaintext(let wanted)) = (outcome, expected) {
        return expect(plaintext(released) == wanted, "other bytes reached the pipe")
    }
    Outcome.expectSame(outcome, expected, "as a file, whole")
    expect(released.isEmpty, "\(released.count) bytes of a refused message reached the pipe")
}

/// An inspection without a credential tells what the start of the message says, whether its length
/// is known before or not.
private func inspect(_ source: FileEndpoint, _ message: [UInt8]) throws {
    let pipe = try Pipe(giving: message)
    let header = try? MessageHeader(parsing: message)
    for endpoint in [source, .descriptor(pipe.readEnd)] {
        do {
            let inspection = try Cryptor.inspectFile(at: endpoint)
            expect(inspection.header == header, "\(inspection.header) is not its start")
            expect(
                inspection.messageByteCount == message.count,
                "\(inspection.messageByteCount) of \(message.count)")
            let isWhole = inspection.shapeError == nil
            expect(isWhole == (inspection.plaintextByteCount != nil), "\(inspection)")
        } catch {
            expect(header == nil, "its header was read otherwise: \(error)")
        }
    }
}

/// Reads of any ranges of a `VerifiedFile`, in any order, between changes of the file: a read gives
/// the plaintext that was verified, and nothing any more once a change was noticed.
func verifiedTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let accepting = Fixture.versions(input.next() & 15)
    let script = input.take(Int(input.next()))
    let (credential, short) = try Fixture.message(input)
    // A message of several segments has the plaintext of the short one again and again.
    var message = short
    if choice & 3 == 3, case .plaintext(let unit) = Outcome.whole(short, credential, accepting) {
        message = try Cryptor.encrypt(
            unit.repeated(toAtLeast: 200 * 1024), with: Fixture.credential)
    }
    let opening = message == short ? credential : Fixture.credential
    let accepted = message == short ? accepting : .default
    let expected = Outcome.whole(message, opening, accepted)
    let file = try UnnamedFile(message)
    let isPiped = choice & 4 != 0 && message.count < Pipe.byteCount
    let pipe = isPiped ? try Pipe(giving: message) : nil
    let verified: VerifiedFile
    do throws(CryptorError) {
        let endpoint = FileEndpoint.descriptor(pipe?.readEnd ?? file.descriptor)
        verified = try VerifiedFile(at: endpoint, with: opening, accepting: accepted)
    } catch {
        return Outcome.expectSame(Outcome(error), expected, "opened, whole")
    }
    guard case .plaintext(let plaintext) = expected else {
        fail("it was opened, and is refused as a whole: \(expected)")
    }
    expect(
        verified.plaintextByteCount == plaintext.count, "\(verified), and it has \(plaintext.count)"
    )
    var reader = RangeReader(
        verified: verified, plaintext: plaintext, file: file, message: message, isSpooled: isPiped,
        content: message)
    try reader.follow(FuzzInput(script))
}

private struct RangeReader {
    let verified: VerifiedFile
    let plaintext: [UInt8]
    let file: UnnamedFile
    let message: [UInt8]
    let isSpooled: Bool
    /// What the file holds now.
    var content: [UInt8]
    var wasRefused = false

    mutating func follow(_ script: consuming FuzzInput) throws {
        while !script.isEmpty {
            let step = script.next()
            let place = (Int(script.next()) << 8 | Int(script.next())) * 5
            switch step & 7 {
            case 0 where place % message.count < content.count:
                let offset = place % message.count
                content[offset] ^= 1 << (step >> 5)
                try file.write(content[offset], at: offset)
            case 1 where step & 0x10 != 0:
                content = Array(content.prefix(place))
                try file.truncate(to: content.count)
            case 2:
                content = message
                try file.replace(with: message)
            default:
                let length = step & 8 == 0 ? Int(script.next()) : Int(script.next()) * 1021
                // Some ranges begin behind the end.
                let start = place % (plaintext.count + 2) - (step == 0xFF ? 1 : 0)
                read(start..<start + length)
            }
        }
    }

    private mutating func read(_ range: Range<Int>) {
        let isInside = 0...plaintext.count ~= range.lowerBound
        do throws(CryptorError) {
            let bytes = try verified.read(range)
            expect(
                isInside,
                "a range that begins at \(range.lowerBound) was read, of \(plaintext.count)")
            let wanted = plaintext[range.clamped(to: 0..<plaintext.count)]
            expect(bytes == Array(wanted), "\(range): other bytes than those that were verified")
            expect(!wasRefused, "\(range): read after a change was noticed")
        } catch {
            guard isInside else {
                return expect(error.code == .invalidRange, "\(range): \(error.code)")
            }
            expect(error.code == .authenticationFailed, "\(range): \(error)")
            expect(
                wasRefused || content != message && !isSpooled, "refused, and nothing was changed")
            wasRefused = true
        }
    }
}
