@testable import CryptorFormat
@testable import CryptorPrimitives

/// The calls of one object in any order, of any sizes and with any room for their output. Every error stays, except
/// that of too little room, which changes nothing. The output of all calls together is that of one call.
func streamTarget(_ input: consuming FuzzInput) throws {
    let choice = input.next()
    var accepting = Fixture.versions(input.next() & 15)
    var steps = StreamSteps(script: FuzzInput(input.take(Int(input.next() & 127))), isLong: choice & 0x3C == 0x3C)
    Cryptor.usesSecondThread = choice & 0x40 != 0
    switch choice & 3 {
    case 0: try encrypt(input.rest(), &steps)
    case 1: try callKeyed(input.rest(), &steps)
    default:
        let (credential, message, isShortened) = try Fixture.message(input)
        accepting.shortenedPasswords = isShortened || choice & 0x80 != 0
        try decrypt(message, credential, accepting, &steps)
    }
}

/// Checks that there was less room than is said to suffice.
private func expectTight(_ room: Int?, _ most: Int) {
    expect(room.map { $0 < most } ?? false, "\(room ?? most) bytes of room were too little, and \(most) suffice")
}

private func encrypt(_ bytes: [UInt8], _ steps: inout StreamSteps) throws {
    let plaintext = steps.long(bytes)
    var encryptor = try Encryptor(Fixture.credential)
    var message: [UInt8] = []
    var rest = plaintext[...]
    while !rest.isEmpty || !steps.script.isEmpty {
        let form = steps.form()
        let before = rest
        let chunk = Array(steps.take(from: &rest))
        let count = message.count
        let most = Encryptor.maximumOutputByteCount(for: chunk.count)
        switch form {
        case .array: try encryptor.update(chunk, into: &message)
        case .span(let room):
            do throws(CryptorError) {
                try message.appendBytes(capacity: room ?? most) { (output) throws(CryptorError) in
                    try encryptor.update(chunk.span.bytes, into: &output)
                }
            } catch {
                expect(error.code == .outputTooSmall, "\(error)")
                expectTight(room, most)
                expect(message.count == count, "too little room, and something was written")
                rest = before
                // The script is at its end: the rest is encrypted at once, so that the loop ends.
                if steps.script.isEmpty { try encryptor.update(rest, into: &message) }
                if steps.script.isEmpty { rest = [] }
            }
        }
        expect(message.count - count <= most + (steps.script.isEmpty ? before.count : 0), "more than announced")
    }
    let room: Int? = if case .span(let room) = steps.form() { room } else { nil }
    let most = Encryptor.maximumOutputByteCount(for: 0)
    var last = Optional(encryptor)
    do throws(CryptorError) {
        try message.appendBytes(capacity: room ?? most) { (output) throws(CryptorError) in
            try last.take()?.finish(into: &output)
        }
    } catch {
        expect(error.code == .outputTooSmall, "\(error)")
        return expectTight(room, most)
    }
    Outcome.expectSame(.whole(message, Fixture.credential, [.v3]), .plaintext(plaintext), "read again, written")
}

private func decrypt(
    _ short: [UInt8], _ credential: Credential, _ accepting: Acceptance, _ steps: inout StreamSteps
) throws {
    let message = steps.long(short)
    let limit = message.count % 5 == 0 ? message.count / 2 : message.count
    var decryptor = try Decryptor(
        credential, accepting: accepting, heldBackByteLimit: limit)
    let expected = Outcome.whole(message, credential, accepting)
    var plaintext: [UInt8] = []
    var failure: CryptorError?
    var rest = message[...]
    while !rest.isEmpty || !steps.script.isEmpty {
        let form = steps.form()
        let before = rest
        let chunk = Array(steps.take(from: &rest))
        let count = plaintext.count
        let most = Decryptor.maximumOutputByteCount(for: chunk.count)
        var room: Int?
        if case .span(let given) = form { room = given ?? most }
        do throws(CryptorError) {
            if let room {
                try plaintext.appendBytes(capacity: room) { (output) throws(CryptorError) in
                    try decryptor.update(chunk.span.bytes, unverifiedInto: &output)
                }
            } else {
                try decryptor.update(chunk, unverifiedInto: &plaintext)
            }
            if let failure { fail("after \(failure.code) it goes on") }
        } catch {
            if let failure {
                expect(error.code == failure.code, "after \(failure.code) came \(error.code)")
            } else if error.code == .outputTooSmall {
                expectTight(room, most)
                expect(plaintext.count == count, "too little room, and something was written")
                rest = before
                // The script is at its end, and the loop would not end.
                if steps.script.isEmpty { return }
            } else {
                failure = error
            }
        }
        expect(plaintext.count - count <= most, "more than announced")
        expect(decryptor.heldBackByteCount <= limit, "more is held back than was allowed")
        expect(decryptor.heldBackByteCount == 0 || plaintext.isEmpty, "some was released, and some held back")
    }
    if case .plaintext(let whole) = expected { expect(whole.starts(with: plaintext), "other bytes were released") }
    let room: Int? = if case .span(let room) = steps.form() { room } else { nil }
    let most = Decryptor.maximumOutputByteCount(for: 0) + decryptor.heldBackByteCount
    var last = Optional(decryptor)
    do throws(CryptorError) {
        try plaintext.appendBytes(capacity: room ?? most) { (output) throws(CryptorError) in
            try last.take()?.finish(into: &output)
        }
        if let failure { fail("after \(failure.code) it ended") }
        Outcome.expectSame(.plaintext(plaintext), expected, "by steps, whole")
    } catch {
        if error.code == .outputTooSmall, failure == nil {
            return expectTight(room, most)
        }
        if let failure { expect(error.code == failure.code, "after \(failure.code) came \(error.code)") }
        if error.code == .messageTooLong { return expect(limit < message.count, "held back up to \(limit): too long") }
        Outcome.expectSame(Outcome(error), expected, "by steps, whole")
    }
}

private let keyed = Result { try KeyedCryptor(Fixture.keys) }

/// Independent calls of one object, with any room.
private func callKeyed(_ bytes: [UInt8], _ steps: inout StreamSteps) throws {
    let cryptor = try keyed.get()
    var last: [UInt8] = []
    var rest = steps.long(bytes)[...]
    while !rest.isEmpty || !steps.script.isEmpty {
        let form = steps.form()
        let choice = steps.script.next()
        let isMessage = choice & 1 == 1
        var chunk = Array(steps.take(from: &rest))
        // Half of the messages are the one that was written last, and half of those are altered.
        if isMessage, choice & 2 != 0, !last.isEmpty {
            chunk = last
            if choice & 4 != 0 { chunk[Int(choice >> 3) * 7 % chunk.count] ^= choice >> 3 | 1 }
        }
        var output: [UInt8] = []
        if isMessage {
            let expected = Outcome.whole(chunk, Fixture.credential, [.v3, .v2])
            let most = max(0, chunk.count - 50)
            var room: Int?
            if case .span(let given) = form { room = given ?? most }
            let outcome = Outcome { () throws(CryptorError) in
                guard let room else { return try cryptor.decrypt(chunk) }
                try output.appendBytes(capacity: room) { (output) throws(CryptorError) in
                    try cryptor.decrypt(chunk.span.bytes, into: &output)
                }
                return output
            }
            if outcome == .failure(.outputTooSmall) {
                expectTight(room, most)
            } else {
                Outcome.expectSame(outcome, expected, "KeyedCryptor, Cryptor")
            }
            if case .failure = outcome { expect(output.isEmpty, "refused, and something was written") }
        } else {
            let most = KeyedCryptor.messageByteCount(for: chunk.count)
            do throws(CryptorError) {
                switch form {
                case .array: output = try cryptor.encrypt(chunk[...])
                case .span(let room):
                    try output.appendBytes(capacity: room ?? most) { (output) throws(CryptorError) in
                        try cryptor.encrypt(chunk.span.bytes, into: &output)
                    }
                }
            } catch {
                guard case .span(let room?) = form, room < most else { fail("\(error)") }
                expect(error.code == .outputTooSmall && output.isEmpty, "\(error.code), and something was written")
                continue
            }
            last = output
            expect(output.count == most, "\(output.count) bytes, and \(most) were announced")
            Outcome.expectSame(.whole(output, Fixture.credential, [.v3]), .plaintext(chunk), "read again, written")
        }
    }
}
