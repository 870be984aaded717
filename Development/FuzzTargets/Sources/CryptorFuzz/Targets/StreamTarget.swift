@testable import CryptorFormat
@testable import CryptorPrimitives

/// The calls of an `Encryptor` or a `Decryptor`, of any sizes and with any room for their output.
/// Every error stays, except that of too little room, which changes nothing. The output of all
/// calls together is that of one call. Under a keyring as well.
func streamTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    let accepting = Fixture.versions(input.next() & 15)
    let script = FuzzInput(input.take(Int(input.next() & 127)))
    let isLong = choice & 0x3C == 0x3C
    Cryptor.usesSecondThread = choice & 0x40 != 0
    if choice & 1 == 0 {
        try encrypt(StreamSteps(input.rest(), script, isLong: isLong))
    } else {
        let (credential, message) = try Fixture.message(input)
        // Under several pairs of keys, a message is held back to its end.
        let keyring =
            choice & 2 == 0
            ? credential
            : try .keyring(primary: Fixture.otherCredential, previous: [credential])
        try decrypt(StreamSteps(message, script, isLong: isLong), keyring, accepting)
    }
}

/// What is passed to a stream: by each byte pair of the script a chunk, and the room for its
/// output.
private struct StreamSteps {
    let all: [UInt8]
    private var rest: ArraySlice<UInt8>
    private var script: FuzzInput
    private let isLong: Bool

    init(_ bytes: [UInt8], _ script: FuzzInput, isLong: Bool) {
        all = isLong ? bytes.repeated(toAtLeast: 700 * 1024) : bytes
        rest = all[...]
        self.script = script
        self.isLong = isLong
    }

    /// The next chunk, and less room than may be needed, or nil for enough; nil at the end. After
    /// the script comes the rest.
    mutating func next() -> (chunk: [UInt8], room: Int?)? {
        if script.isEmpty && rest.isEmpty { return nil }
        let isLast = script.isEmpty
        let (size, room) = (Int(script.next()), Int(script.next()))
        let count =
            isLast ? rest.count : (size < 128 ? size : (size - 127) * 113) * (isLong ? 5003 : 1)
        defer { rest = rest.dropFirst(count) }
        return (
            Array(rest.prefix(count)), isLast || room & 3 != 3 ? nil : room * (isLong ? 1024 : 1)
        )
    }

    /// The chunk did not fit, and comes again.
    mutating func putBack(_ chunk: [UInt8]) {
        rest = all[(all.count - rest.count - chunk.count)...]
    }
}

private func encrypt(_ given: StreamSteps) throws {
    var steps = given
    var encryptor = try Encryptor(Fixture.credential)
    var message: [UInt8] = []
    while let (chunk, room) = steps.next() {
        let count = message.count
        let most = Encryptor.maximumOutputByteCount(for: chunk.count)
        do throws(CryptorError) {
            try message.appendBytes(capacity: room ?? most) { (output) throws(CryptorError) in
                try encryptor.update(chunk.span.bytes, into: &output)
            }
        } catch {
            expect(
                error.code == .outputTooSmall && (room ?? most) < most,
                "\(error.code), \(room ?? most) of \(most)")
            expect(message.count == count, "too little room, and something was written")
            steps.putBack(chunk)
        }
        expect(message.count - count <= most, "more than announced")
    }
    try encryptor.finish(into: &message)
    let read = Outcome.whole(message, Fixture.credential, [.v3])
    Outcome.expectSame(read, .plaintext(steps.all), "read again, written")
}

private func decrypt(_ given: StreamSteps, _ credential: Credential, _ accepting: Acceptance) throws
{
    var steps = given
    let expected = Outcome.whole(steps.all, credential, accepting)
    var decryptor = try Decryptor(credential, accepting: accepting)
    var plaintext: [UInt8] = []
    var failure: CryptorError?
    while let (chunk, room) = steps.next() {
        let count = plaintext.count
        let most = Decryptor.maximumOutputByteCount(for: chunk.count)
        do throws(CryptorError) {
            try plaintext.appendBytes(capacity: room ?? most) { (output) throws(CryptorError) in
                try decryptor.update(chunk.span.bytes, unverifiedInto: &output)
            }
            if let failure { fail("after \(failure.code) it goes on") }
        } catch {
            if let failure {
                expect(error.code == failure.code, "after \(failure.code) came \(error.code)")
            } else if error.code == .outputTooSmall {
                expect(
                    (room ?? most) < most,
                    "\(room ?? most) bytes of room were too little, and \(most) suffice")
                expect(plaintext.count == count, "too little room, and something was written")
                steps.putBack(chunk)
            } else {
                failure = error
            }
        }
        expect(plaintext.count - count <= most, "more than announced")
    }
    if case .plaintext(let whole) = expected {
        expect(whole.starts(with: plaintext), "other bytes were released")
    }
    do throws(CryptorError) {
        try decryptor.finish(into: &plaintext)
        if let failure { fail("after \(failure.code) it ended") }
        Outcome.expectSame(.plaintext(plaintext), expected, "by steps, whole")
    } catch {
        if let failure {
            expect(error.code == failure.code, "after \(failure.code) came \(error.code)")
        }
        Outcome.expectSame(Outcome(error), expected, "by steps, whole")
    }
}
